"""Words for columns that detectors are judged by; they were not used to make the detectors."""

from __future__ import annotations


def _listed(text: str, mark: str | None = None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark))


GIVEN = _listed(
    """Fionnuala Ruairi Cathal Grainne Tadhg Orla Ferenc Katalin Imre Piroska Laszlo Emese Jaroslav Blanka Otakar
    Jitka Miroslav Snezana Branko Ljubica Spyridon Kalliope Nikos Vasiliki Tuomas Hilkka Ilmari Anneli Oskari
    Mathilde Asger Ingvild Halvor Sigrun Radu Anca Viorel Doina Plamen Ivanka Gulnara Timur Lakshmi Vikram Ananya
    Yuki Daichi Emeka Folake Kofi Akosua Nomvula Bheki Leire Ander Maialen Iker Dulce Hector Remedios Baltasar
    Wiebke Detlef Sieglinde Hartmut Apolline Gaspard Ginevra Ettore Benedita Afonso Roos Thijs"""
)
SURNAMES = _listed(
    """McLoughlin Kinsella Tierney Roche Lengyel Balogh Vincze Halasz Novotny Kucera Blazek Sykora Stojanovic Babic
    Horvat Knezevic Nikolaidis Stamatakis Vlachos Makinen Rantanen Salo Kettunen Holmgren Ekstrom Dahl Moen Solberg
    Thygesen Munteanu Stancu Rusu Georgiev Stoyanova Bekova Rahman Reddy Chatterjee Mukherjee Suzuki Nakamura Adeyemi
    Eze Boateng Asante Nkosi Zulu Ibarra Mendizabal Otxoa Lizarraga Escobar Cardenas Valdivia Rosales Krautwurst
    Oberhauser Weidner Trautmann Ziegler Callewaert Peeters Wouters Delacroix Marchand Guichard Pellegrini Bellini
    Figueiredo Tavares Hoekstra Zijlstra"""
)
STREETS = _listed(
    """{n} Elm Grove Road|{n}b Victoria Street|Apt. 4, {n} Sunset Boulevard|{n} Church Lane|Calle de la Luna {n}|
    Paseo del Prado {n}, 3A|C/ Goya {n}|Plaza Mayor, {n}|Bahnhofstraße {n}|Am Kirchplatz {n}|Rosenweg {n}c|
    Schulgasse {n}|{n} rue Victor Hugo|{n}, avenue de la Gare|{n} chemin du Moulin|Via Roma, {n}|
    Viale Europa {n}|Rua do Carmo {n}|
    Avenida da Liberdade, {n}|Dorpsstraat {n}|Keizersgracht {n}|Carrer del Pi {n}, 2n 1a""",
    "|",
)
CITIES = _listed("Easthaven, Torreblanca, Oberfelden, Clairmont, Montefiore, Vila Alta, Westerveld, Sant Marti", ",")
PROSE = _listed(
    """visited because of dizziness after work and asked for new glasses since the old ones broke last spring la clienta
    llama para preguntar por su pedido que no ha llegado todavía der Kunde wünscht einen Rückruf am Nachmittag wegen der
    offenen Rechnung le patient revient demain pour les analyses and the nurse noted that sleep had improved a little"""
)
HOSTS = _listed("ward.example, buzon.example.es, brief.example.de, messagerie.example.fr, dept.example.edu", ",")
NOTHING = _listed("not known, NA, ?, keine Angabe", ",")
THINGS = _listed(
    """Basic Premium Mini Large Folding Electric Cotton Leather Outdoor Digital | Table Clock Backpack Radio Pillow
    Ladder Toaster Printer Umbrella Wallet Carpet Fan""",
    "|",
)
TOWN_HEADS = _listed("East West High Long Market Castle Saint Royal")
TOWN_ENDS = _listed("ton ville dale port beck minster combe")
CYRILLIC = _listed(
    """Глеб Савелий Тихон Лука Матвей Назар Платон Ефим Захар Игнат Макар Родион Семён Юлиан Агата Варвара Василиса
    Кира Майя Милана Серафима Таисия Ульяна Эмилия Марк Лариса Роман Вера Денис Инна Виктор Алла"""
)
GREEK = _listed(
    """Λεωνίδας Σαμαράς|Ουρανία Ζαχαρίου|Πέτρος Καραμανλής|Μαρίνα Λαμπρίδη|Αλέξανδρος Φωτίου|Ειρήνη Ραπτοπούλου
    |Στέλιος Κουτσάκης|Θεοδώρα Μιχαηλίδη|Μανώλης Σταθάκης|Χαρά Γιαννοπούλου|Φώτης Αναγνωστάκης|Δανάη Ευθυμίου
    |Άρης Βασιλάκης|Λυδία Παπαδάκη""",
    "|",
)
ARABIC = _listed(
    """عمار الشامي|لطيفة بنت سعد|رائد القاسم|إيمان محمود|باسل حسن|دعاء خالد|غسان الحداد|هالة يوسف|إدريس العلوي|شيماء عمر
    |نبيل سعيد|وفاء أحمد|زكريا بن علي|أسماء الفاسي""",
    "|",
)
OCCUPATIONS = _listed(
    """Welder Roofer Baker Butcher Hunter Porter Forester Barber Locksmith Optician Dentist Judge Florist Jeweller
    Cook Gardener Shepherd Technician Tailor Mason"""
)
PLAIN_STREETS = _listed(
    """Orchard Lane|Harbour Road|King Street|Calle del Olivo|Avenida del Puerto|Paseo Marítimo|Lindenstraße|Mühlenweg
    |Am Marktplatz|Rue des Lilas|Chemin Vert|Via Garibaldi|Viale Dante|Rua das Flores|Kerkstraat|Prinsengracht
    |Carrer Major|Strandgatan""",
    "|",
)

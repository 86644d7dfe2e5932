"""Some frequent given names and surnames, without accents: enough to tell a column of people, not to name them all.

Names in Cyrillic and Greek letters stand here as `in_latin` writes them.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN = _words(
    """
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony
    mark steven paul andrew george kenneth kevin brian edward ronald timothy jason jeffrey ryan jacob gary eric
    stephen jonathan larry justin scott brandon benjamin samuel gregory frank raymond patrick jack dennis peter
    henry oliver mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty
    margaret sandra ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura
    helen sharon cynthia kathleen amy angela anna ruth emma olivia sophia charlotte amelia grace alice lucy
    julia hannah antonio jose manuel francisco juan javier carlos miguel rafael pedro angel alejandro fernando
    sergio pablo jorge alberto luis alvaro diego adrian raul enrique ramon vicente ivan ruben oscar andres
    joaquin santiago eduardo maria carmen josefa isabel dolores pilar teresa ana francisca antonia mercedes
    cristina marta lucia elena rosa paula raquel sara silvia beatriz rocio irene nuria montserrat ines sofia
    carla alba hans klaus wolfgang juergen jurgen stefan andreas werner helmut gerhard uwe bernd martin dieter
    ralf lukas jonas felix maximilian leon finn tobias sebastian florian markus matthias ursula monika petra
    elisabeth sabine renate helga brigitte ingrid erika andrea gisela claudia susanne gabriele christa birgit
    heike katharina anja lena lea mia johanna marie sophie franziska jean pierre michel andre philippe rene
    louis alain jacques bernard marcel roger claude christian henri nicolas georges julien antoine francois
    guillaume laurent pascal thierry jeanne francoise monique catherine nathalie isabelle jacqueline anne sylvie
    martine madeleine nicole suzanne camille chloe manon celine aurelie giuseppe giovanni mario luigi francesco
    angelo vincenzo pietro salvatore carlo franco domenico bruno paolo michele giorgio aldo luciano marco
    alessandro matteo lorenzo davide simone giuseppina giovanna carmela caterina francesca antonietta concetta
    rita margherita chiara giulia martina federica valentina alessia joao paulo tiago rui nuno goncalo ricardo
    marcos lucas gabriel mateus joaquim joana mariana leonor matilde catarina fernanda juliana adriana marcia
    jan piet johannes cornelis hendrik willem gerrit pieter kees bram daan sem joost maarten cornelia wilhelmina
    hendrika sanne fleur anouk femke marieke jordi josep joan marc xavier pau oriol albert carles montse laia
    mireia merce neus gemma eulalia mohamed ahmed ali hassan omar fatima aisha khadija mehmet mustafa ayse emine
    wei li ming dmitri sergei alexei natalia olga tatiana piotr krzysztof andrzej katarzyna malgorzata lars erik
    anders nils karin eva astrid bjorn
    aleksandr aleksey alexey andrey anatoliy artem boris vadim valeriy vasiliy viktor vitaliy vladimir vyacheslav
    gennadiy grigoriy denis dmitriy evgeniy igor ilya kirill konstantin leonid maksim mihail nikolay oleg pavel petr
    anton arkadiy arseniy daniil eduard egor georgiy lev nikita rostislav ruslan stepan svyatoslav valentin vsevolod
    alina alisa antonina diana evgeniya karina klavdiya kristina margarita olesya raisa rimma valentina yana zoya
    roman sergey stanislav timofey fedor yuriy yaroslav aleksandra alena alla anastasiya valeriya vera viktoriya
    galina darya ekaterina elena elizaveta zhanna zinaida inna irina kseniya larisa lidiya lyubov lyudmila marina
    mariya nadezhda natalya nina oksana polina svetlana sofya tamara tatyana yuliya oleksandr andriy mykola vasyl
    mykhaylo petro ivanna oksanna olena georgi dimitar hristo stoyan todor desislava milica dragan zoran milan nikola
    georgios giorgos dimitrios dimitris ioannis giannis konstantinos kostas nikolaos nikos panagiotis vasileios
    vasilis christos athanasios thanasis evangelos michail spyridon spyros theodoros antonis stavros petros eleni
    aikaterini katerina vasiliki sofia georgia angeliki aggeliki dimitra konstantina paraskevi evangelia ioanna
    despoina chrysoula anastasia stavroula foteini kyriaki
    """
)

SURNAMES = _words(
    """
    smith johnson williams brown jones miller davis wilson anderson taylor thomas moore jackson martin lee
    thompson white harris clark lewis robinson walker young allen king wright scott hill green adams baker
    nelson carter mitchell roberts turner phillips campbell parker evans edwards collins stewart morris murphy
    cook rogers cooper reed bailey bell kelly howard ward cox richardson watson brooks bennett gray hughes price
    myers foster sanders ross powell sullivan russell fisher patel khan garcia rodriguez gonzalez fernandez
    lopez martinez sanchez perez gomez jimenez ruiz hernandez diaz moreno munoz alvarez romero alonso gutierrez
    navarro torres dominguez vazquez ramos gil ramirez serrano blanco molina morales suarez ortega delgado
    castro ortiz rubio marin sanz nunez iglesias medina garrido cortes castillo santos lozano guerrero cano
    prieto mendez cruz calvo gallego vidal leon mueller muller schmidt schneider fischer weber meyer wagner
    becker schulz hoffmann schaefer schafer koch bauer richter klein wolf schroeder neumann schwarz zimmermann
    braun krueger hofmann hartmann lange schmitt werner krause meier lehmann schmid schulze maier koehler kohler
    herrmann koenig walter mayer huber kaiser fuchs peters lang scholz moeller weiss jung hahn vogel friedrich
    keller guenther bernard dubois petit durand leroy moreau simon laurent lefebvre michel bertrand roux vincent
    fournier morel girard andre mercier dupont lambert bonnet francois fontaine rousseau blanc guerin henry
    faure rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti costa
    giordano mancini rizzo lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara silva
    ferreira pereira oliveira rodrigues martins jesus sousa fernandes goncalves gomes lopes marques alves
    almeida ribeiro pinto carvalho teixeira moreira correia souza lima jong jansen vries berg bakker dijk visser
    smit meijer boer mulder groot bos vos hendriks dekker dijkstra puig vila soler serra roca ferrer casals
    bosch nowak kowalski wisniewski andersson johansson karlsson nilsson hansen olsen jensen nguyen wang zhang
    yilmaz ivanov
    melnyk shevchenko kovalenko bondarenko tkachenko kravchenko oliynyk koval pappas oikonomou georgiou dimitriou
    ioannou antoniou vasileiou makris alexiou christou nikolaou karagiannis vlachos
    tran pham hoang phan dang bui duong ngo kaya demir sahin celik yildiz ozturk aydin arslan dogan
    """
)

# names in Arabic, Hebrew and Devanagari letters
WITHOUT_CAPITALS = _words(
    """
    محمد أحمد احمد علي حسن حسين محمود مصطفى عبد عبدالله الله الرحمن إبراهيم ابراهيم يوسف عمر خالد سعيد سالم ناصر كريم
    طارق جمال كمال سمير عادل ماجد فهد سلطان فيصل صالح عثمان إسماعيل اسماعيل حمزة بلال زيد ياسين أنس رشيد هشام وليد
    فاطمة عائشة خديجة مريم زينب ليلى سارة هدى نور أمينة سلمى رنا منى هند سعاد نادية سميرة ياسمين آمنة حليمة رقية
    بن ابن بنت أبو الحسن الحسين الدين
    כהן לוי מזרחי פרץ ביטון דהן אברהם פרידמן כץ יוסף דוד משה יעקב שרה רחל רבקה לאה מרים חיים יצחק דניאל אסתר חנה נועה
    राहुल अमित संजय विजय राजेश सुनील अनिल रमेश सुरेश प्रिया पूजा अनीता सुनीता कुमार कुमारी सिंह देवी शर्मा वर्मा
    गुप्ता यादव मिश्रा पटेल जोशी
    """
)

# in Chinese and Korean the surname comes first and is one sign; these are those of most people
SURNAME_SIGNS = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏"
    "钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文張劉陳楊趙黃吳孫羅鄭謝韓馮許鄧盧"
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도소석선설마길"
)

# Today's words for occupations that are also surnames, or end as surnames do: they tell nobody's name.
OCCUPATIONS = _words(
    """
    baker smith cook miller fisher weaver tailor cooper turner gardener hunter shepherd mason carpenter farmer
    painter potter porter butcher barber butler forester singer marshall salesperson craftsperson tradesperson
    physician technician electrician musician librarian politician mathematician dietitian optician beautician
    muller mueller schmied schneider fischer weber koch bauer richter zimmermann schafer schaefer jager jaeger
    backer baecker maurer gartner gaertner maler topfer toepfer metzger fleischer tischler schreiner dreher kaufmann
    bakker visser boer timmerman slager schoenmaker boulanger boucher berger meunier charpentier
    herrero zapatero pastor molinero barbero maestro guerrero pastore fornaio ferreiro fuster sastre
    kowal mlynarz rybak piekarz krawiec kovac kovacs
    """
)

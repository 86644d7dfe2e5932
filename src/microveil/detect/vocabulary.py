"""What words in column names mean, in English, Spanish, German, French, Italian, Portuguese, Dutch and Catalan.

Some words of Russian, Ukrainian and Greek stand among them as `in_latin` writes them. One line per language where it
has words of its own; accents are left out. An entry of several words means that all of them occur in the name; one
that ends in * stands for all words that begin so. Another word is one more entry.
"""

from __future__ import annotations

# Direct identifiers, whatever the column holds ("id" of persons, firms, records).
NUMBERS_OF_RECORDS = """
id, ids, identifier, ident, uuid, guid, pid, uid, mrn, nhs, ssn, nino, passport, record number, patient number,
    case number, account number, policy number, licence number, license number, plate, registration number,
    medical record, insurance number, customer number, serial number, tax number, vat number, imei, login, username
dni, nie, nif, cif, nhc, pasaporte, matricula, numero cuenta, numero historia, historia clinica, expediente,
    seguridad social, identificador, numero paciente, numero cliente
kennung, kennziffer, steuerid, ausweis, reisepass, kennzeichen, aktenzeichen, kvnr, patientennummer, kundennummer
nir, siret, siren, identifiant, passeport, matricule, numero dossier, numero client, numero patient
passaporto, targa, codice fiscale, partita iva, codice paziente, codice cliente
passaporte, cpf, cnpj, nss, numero utente, numero processo
bsn, paspoort, kenteken, klantnummer, dossiernummer
identificacio, passaport, numero expedient, cip
pesel, personnummer, regon, cpr, hetu, cnp, oib, amka, niss, rijksregister, svnr, ahv, persnr, personalnr
personalnummer, chart no, encounter, visit no, barcode, hosp no, ipp, numero secu, num secu, num ss, policennr
vertragsnr
pasport, snils, inn, afm, amka, nomer patsienta, nomer klienta
"""

# Direct identifiers if the column holds many numbers and the name says nothing else ("subj", "Pat", "case").
SOMEBODY = """
participant, subject, subj, respondent, resp, patient, pat, client, customer, cust, user, member, student, pupil
    employee, case, key, record, person, individual, proband
participante, sujeto, paciente, cliente, usuario, alumno, empleado, caso, persona, clave
klient, klientin, kunde, kundin, patientin, teilnehmer, teilnehmerin, probandin, fall, mitglied, schuler, schueler
cas, sujet, individu, personne, eleve, paziente, soggetto, utente, deelnemer, klant, persoon, pacient
"""

# Direct identifiers if the column holds text (a count or an amount of the same name is none).
TEXTS_THAT_IDENTIFY = """
name, names, surname, forename, fname, lname, firstname, lastname, fullname, nickname, initials, signature,
    maiden, kin, contact, kontaktperson,
    email, mail, address, street, url, website, homepage, ip, mac, twitter, facebook, instagram, linkedin
nombre, nombres, apellido, apellidos, correo, direccion, domicilio, calle
vorname, nachname, familienname, geburtsname, rufname, anschrift, adresse, strasse, mailadresse, hausnummer
nom, prenom, courriel, adresse, rue
nome, cognome, indirizzo, posta
sobrenome, apelido, endereco, morada, rua
naam, voornaam, achternaam, adres, straat
cognom, cognoms, llinatge, adreca, carrer, correu
imya, familiya, otchestvo, fio, pochta, ulitsa, prizvishche, onoma, eponymo, onomateponymo, dieythynsi, odos
姓名, 名字, 姓氏, 氏名, 地址, 住所
"""

# Parts of a name: many people share each, and only together they name somebody.
PARTS_OF_NAMES = """
first name, given name, fore name, christian name, middle name, last name, sur name, second name, family name,
    maiden name, birth name, forename, surname, firstname, lastname, fname, lname, nickname, initials, maiden
apellido, apellidos, primer nombre, nombre pila
vorname, vor name, vornamen, nachname, nach name, familienname, familien name, zuname, geburtsname, rufname
prenom, prenoms, nom famille, nom naissance
cognome, nome battesimo, sobrenome, apelido, nome proprio, nome familia
voornaam, achternaam, familienaam, tussenvoegsel, cognom, cognoms, llinatge, llinatges
imya, familiya, otchestvo, prizvishche, eponymo, 名字, 姓氏
"""

# Direct identifiers if the values are long enough to be numbers of telephones, accounts or cards.
LONG_NUMBERS = """
phone, telephone, tel, mobile, cell, cellphone, fax, iban, bic, bank account, credit card, debit card, card number
telefono, telf, movil, cuenta, tarjeta
telefon, telefonnummer, handy, handynummer, mobiltelefon, konto, kontonummer, rufnummer
portable, compte bancaire, carte bancaire
cellulare, conto corrente, carta credito
telefone, telemovel, celular, conta
telefoon, mobiel, rekening, rekeningnummer
mobil, compte corrent, targeta, schet, tilefono, kinito, 电话, 電話, 手机
"""

COORDINATES = """
latitude, longitude, lat, lon, long, lng, gps, coordinate, coordinates, utm, easting, northing, geolocation
rechtswert, hochwert, ostwert, nordwert
latitud, longitud, coordenada, coordenadas, breitengrad, laengengrad, langengrad, koordinate, koordinaten
latitudine, longitudine, breedtegraad, lengtegraad, coordonnees
"""

BIRTH = """
birth, birthdate, birthday, birthdt, birthd, bdate, bday, dob, born, nacimiento, nac, fnac, fecnac, geburt*, geb
gebdat*, gebdag, naissance, ddn, naiss, nascita, nato, nata, nascimento, nasc, dtnasc, geboorte*, naixement
geboren, ne le, nee le, dnaiss, b date, fodsels*, fodelse*, szul*, dogum*
urodzenia, narozeni, syntymaaika, rozhdeniya, narodzhennya, gennisis, gennisi, 出生, 出生日期, 生年月日
"""

FREE_TEXT = """
comment, comments, remark, remarks, note, notes, text, freetext, description, narrative, anamnesis, history
comentario, comentarios, observacion, observaciones, nota, notas, texto, descripcion
bemerkung, bemerkungen, kommentar, anmerkung, freitext, notiz, notizen, beschreibung, anamnese, befund
commentaire, remarque, texte, osservazioni, testo, observacoes, opmerking, opmerkingen, tekst, comentari, observacions
"""

# A word among these says that the column is about an identifier and is none itself.
ABOUT_AN_IDENTIFIER = """
type, typ, tipo, kind, art, status, estado, flag, has, is, opt, known, count, share, pct, percent, valid, verified
class, clase, klasse, category, categoria, kategorie, quality, use, usage, balance, saldo, amount, total, sum, year
number of, anzahl, numero de, nombre de, length, size, cost, costs, bill, expenses, kosten, gasto, change, changed
"""

WEIGHT = """
weight, weights, wgt, wt, wgts, weighting, w, grossing, gewicht, gewichte, gewichtung, hochrechnung
hochrechnungsfaktor, poids, ponderation, peso, pesos, ponderacion, ponderador, factor elevacion, factor expansion
ponderazione, ponderacao, weging, wegingsfactor, pes, ponderacio
"""

# Words beside "weight" that make it the weight of a body or a thing.
BODY = """
body, kg, kilo, kilos, kilogram, kilograms, lb, lbs, pounds, gram, grams, birth, baby, parcel, vehicle, gross, net
corporal, nacimiento, nacer, korper, koerper, geburts, corps, naissance, corporeo, nascita, lichaams, lichaam
"""

# Names of columns beside which "weight" is that of a body.
HEIGHT = """
height, bmi, stature, altura, talla, estatura, groesse, grosse, koerpergroesse, korpergrosse, taille, altezza, statura
lengte, alcada
"""

HOUSEHOLD = """
household, households, hh, hhid, hid, hhnr, haushalt, haushalts, haushaltsnummer, haushaltsid, hogar, vivienda, menage
foyer, famiglia, agregado, huishouden, llar, family
"""

STRATUM = "stratum, strata, estrato, estratos, schicht, strate, strato, stratum, estrat"

# Special categories of personal data, and money: what nobody should learn about a person.
CONFIDENTIAL = """
health, diagnosis, diagnoses, disease, illness, hiv, aids, icd, icd10, treatment, therapy, medication, drug, drugs
    medicine, symptom, symptoms, disability, disabled, pregnant, pregnancy, surgery, tumor, tumour, cancer, sick
    mental, psych, psychiatric, depression, addiction, smoker, alcohol, blood, bmi, vaccination, infection, infected
    hepatitis, diabetes, insulin, allergy, abortion, genetic, test result, clinical, hospitalised, hospitalized
    diag, dx, rx, meds, prescription, prescribed, antibiotic*, steroid*, chemo*, radiotherapy, dialysis, transplant
    thyro*, hypothyr*, hyperthyr*, antithyr*, goitre, goiter, lithium, pituitary, hypopituitar*, asthma*, arthritis
    stroke, epilepsy, epileptic, hypertens*, anaemia, anemia, dementia, alzheimer, parkinson, tuberculosis, copd, autism
    autistic, adhd, schizo*, bipolar, anxiety, migraine, obesity, obese, cholesterol, glucose, smoking, leukaemia
    leukemia, received ben, received unben, received odben, received sosec, received pens, unemployment benefit
    allowance, welfare
    religion, religious, belief, faith, church, ethnicity, ethnic, etni, race, racial, caste, union, party, vote, voted
    political, politics, sexual, orientation, criminal, conviction, convicted, offence, offense, crime, prison, arrest
    income, incomes, wage, wages, salary, salaries, earnings, earning, debt, debts, wealth, assets, savings, tax, taxes
    pension, benefit, benefits, turnover, revenue, revenues, profit, profits, loan, loans, mortgage, expenditure
    expenses, spending, balance, rent, money, capital, sales, credit, payment, payments, fortune, dividend, dividends
salud, diagnostico, diagnosticos, enfermedad, vih, sida, tratamiento, medicacion, medicamento, discapacidad, embarazo
    embarazada, cancer, alergia, creencia, etnia, raza, sindicato, afiliacion, partido, voto, delito, condena
    ingreso, ingresos, salario, sueldo, deuda, deudas, renta, patrimonio, ahorro, ahorros, gasto, gastos, beneficio
gesundheit*, diagnos*, hauptdiagnos*, nebendiagnos*, aufnahmediagnos*, entlassdiagnos*, entlassungsdiagnos*
    vordiagnos*, vorerkrank*, grunderkrank*, begleiterkrank*, krank*, erkrank*, behandlung*, therapie*, medika*
    behinderung*, einkommen*, religi*, gehalt*
    schwanger, schwangerschaft, krebs, allergie, glaube, konfession, ethnie, gewerkschaft, partei, wahl
    straftat, vorstrafe, einkommen, lohn, gehalt, schulden, vermogen, vermoegen, ersparnis, ersparnisse, umsatz, gewinn
    steuer, rente, ausgaben, hivstatus, befund
sante, diagnostic, maladie, vih, traitement, medicaments, handicap, enceinte, croyance, ethnie, syndicat, vote, delit
    condamnation, revenu, revenus, salaire, dette, dettes, patrimoine, epargne, depenses, loyer, impot
salute, diagnosi, malattia, terapia, farmaco, farmaci, disabilita, gravidanza, tumore, religione, credo, sindacato
    reato, condanna, reddito, redditi, stipendio, debito, debiti, risparmi, spesa, spese, fatturato, utile
saude, doenca, tratamento, medicacao, deficiencia, gravidez, cancro, religiao, raca, crime, rendimento, rendimentos
    renda, divida, dividas, poupanca, despesa, despesas, lucro
gezondheid, ziekte, behandeling, medicijn, medicatie, zwanger, kanker, geloof, godsdienst, etniciteit, vakbond
    misdrijf, veroordeling, inkomen, loon, salaris, schuld, schulden, vermogen, spaargeld, omzet, winst, uitgaven
malaltia, tractament, medicacio, discapacitat, embaras, religio, sindicat, delicte, ingressos, sou, deute, deutes
    estalvi, despesa, benefici
"""

# Short words for benefits that stand behind "rec" (received) without a mark between them (RECUNBEN, RECSOSEC).
RECEIVED = "ben, unben, odben, sosec, pens, benefit, benefits, pension, welfare, allowance"

# What others may know: quasi-identifiers.
KEY = """
age, ages, sex, gender, male, female, region, district, province, state, county, zip, zipcode, postcode, postal
    municipality, city, town, village, country, nationality, nation, citizenship, citizen, marital, marstat, civil
    education, educ, edu, occupation, occup, job, profession, sector, industry, nace, sic, isco, branch, activity
    employees, size, relation, relationship, relat, urban, rural, urbrur, language, ward, department, school, employer
    children, tenure, building, place, location, area, residence, key, block, neighbourhood, neighborhood, birth, year
edad, sexo, genero, comarca, provincia, estado, municipio, ciudad, pueblo, pais, nacionalidad, estudios
    educacion, nivel, profesion, ocupacion, trabajo, actividad, parentesco, idioma, empleados, barrio, distrito
    postal, cp, nacimiento, hijos, planta, servicio
alter, geschlecht, bundesland, kreis, bezirk, gemeinde, ort, stadt, land, staat, nationalitat, nationalitaet
    staatsangehorigkeit, familienstand, bildung, schulabschluss, beruf, branche, wirtschaftszweig, plz, postleitzahl
    wohnort, sprache, kinder, station, abteilung, geburt, geburtsjahr, beschaeftigte, beschaftigte
age, sexe, departement, commune, ville, pays, nationalite, etudes, metier, emploi, secteur, activite, langue, enfants
eta, sesso, regione, comune, citta, paese, nazionalita, istruzione, professione, settore, lingua, figli, quartiere
idade, regiao, concelho, freguesia, cidade, escolaridade, profissao, ocupacao, nacionalidade, filhos
leeftijd, geslacht, gemeente, plaats, stad, opleiding, beroep, nationaliteit, burgerlijke staat, kinderen, wijk
edat, comarca, municipi, ciutat, poble, nacionalitat, estat civil, ocupacio, professio, barri
"""

# Names of columns whose numbers are codes without an order, however many there are.
NOMINAL = """
code, codes, region, district, province, state, county, zip, zipcode, postcode, postal, municipality, city, town
    country, nationality, citizenship, sector, industry, nace, sic, isco, occupation, occup, profession, branch, icd
codigo, comarca, provincia, municipio, ciudad, pais, nacionalidad, ocupacion, profesion, cp
kode, bundesland, kreis, bezirk, gemeinde, land, staat, beruf, branche, plz, postleitzahl, wirtschaftszweig
departement, commune, ville, pays, metier, secteur, codice, regione, comune, paese, settore, professione
regiao, concelho, freguesia, cidade, gemeente, beroep, codi, municipi, ciutat
"""

# Names of columns that hold codes of public classifications, of which there may be as many as records.
CLASSIFICATIONS = """
nuts, lau, lad, lsoa, msoa, fips, gss, nace, naics, sic, isic, isco, soc, icd, icd10, atc, coicop, cpv, cpa
    cpc, hs, cn, taric, commodity, loinc, snomed, prodcom, product, products, item, items, article, sku, pzn, gtin, ean
    region, district, province, county, municipality, country, occupation, occup, industry, activity, diagnosis
    diagnoses, postcode, zip, zipcode, postal
producto, articulo, produkt, artikel, produit, prodotto, articolo, produto, producte, article
cnae, cno, ciuo, cie, ine, comarca, provincia, municipio, pais, ocupacion, actividad, diagnostico
ags, gemeindeschlussel, gemeindeschluessel, gemeindekennziffer, gkz, waren
    wz, kldb, ops, drg, bundesland, kreis, gemeinde, beruf, wirtschaftszweig, diagnose, hauptdiagnose
    nebendiagnose, plz, postleitzahl
naf, ape, insee, pcs, cim, ccam, departement, commune, pays, ateco, istat, regione, comune, paese, cae, noga, sbi
regiao, concelho, freguesia, gemeente, beroep, municipi
"""

# Names of columns whose whole-number codes have an order.
ORDERED = """
education, educ, edu, class, classes, grade, grades, level, levels, rating, score, scores, rank, year, years, month
    day, week, quarter, age, ages, size, stage, degree, satisfaction, frequency, severity, priority, decile, quintile
    quartile, band, bracket, scale, count, number, num, children, income, rooms, floor, income class, order, wave, round
nivel, estudios, educacion, clase, grado, ano, mes, edad, tamano, hijos, puntuacion, satisfaccion, decil, etapa
bildung, bildungsstand, stufe, klasse, note, noten, grad, jahr, monat, alter, altersklasse, groesse, anzahl, kinder
    rang, zufriedenheit, einkommensklasse, groessenklasse
niveau, etudes, classe, annee, mois, taille, enfants, rang
livello, istruzione, anno, mese, eta, figli, nivel, escolaridade, classe, idade, filhos
opleiding, klasse, jaar, maand, leeftijd, kinderen, nivell, any, edat, fills
"""

# Word parts that stand before "id", "nr", "no", "name" without a mark between them (UTILITYID, CustName).
BEARERS = """
person, persons, patient, customer, client, user, member, student, pupil, employee, emp, staff, doctor, physician
household, hh, family, company, firm, enterprise, ent, business, utility, util, account, acc, record, rec, case
subject, respondent, resp, participant, visitor, citizen, taxpayer, voter, driver, owner, tenant, supplier
vendor, unit, entity, individual, indiv, indi, cust, cli, pat, usr, order, invoice, contract, policy, claim
paciente, cliente, persona, empresa, usuario, alumno, empleado, trabajador, hogar, kunde, kunden, person, personen
patienten, mitarbeiter, firma, firmen, betrieb, haushalt, haushalts, nutzer, benutzer, fall, konto, rechnung
vertrag, mitglied, mitglieds, schueler, eleve, personne, entreprise, menage, usager, salarie, paziente, azienda
utente, pessoa, klant, persoon, bedrijf, pacient, telephone, phone, tel, mobile, versicherten, versicherungs, sozial
steuer, ausweis, geraete, device, session, transaction, tax, social
"""

COMMON_ENDINGS_OF_NUMBERS = "id, ids, nr, no, nummer, number, num, numero, code, key, kennung, ident"


def entries(text: str) -> tuple[frozenset[str], ...]:
    """The entries of a list, each as the set of words that must all occur."""
    parts = text.replace("\n", ",").split(",")
    return tuple(dict.fromkeys(frozenset(part.split()) for part in parts if part.strip()))

"""A hospital file with everything that must not leave it, under column names of three languages."""

from __future__ import annotations

import numpy as np
import pandas as pd

N = 150
# columns that identify, as they are called in English, Spanish and German; the last column has a name that says nothing
IDENTIFYING = {
    "patient": ("patient_id", "numero_paciente", "PatientenNr"),
    "name": ("surname", "apellidos", "Nachname"),
    "given": ("first_name", "nombre", "Vorname"),
    "mail": ("email", "correo", "E-Mail"),
    "phone": ("phone", "teléfono", "Telefon"),
    "address": ("address", "dirección", "Anschrift"),
    "born": ("date_of_birth", "fecha_nacimiento", "Geburtsdatum"),
    "text": ("notes", "observaciones", "Bemerkungen"),
    "account": ("v17", "v17", "v17"),
}
OTHERS = {
    "age": ("age", "edad", "Alter"),
    "sex": ("sex", "sexo", "Geschlecht"),
    "ward": ("ward", "servicio", "Station"),
    "admitted": ("admission_date", "fecha_ingreso", "Aufnahmedatum"),
    "diagnosis": ("diagnosis", "diagnóstico", "Diagnose"),
    "hiv": ("hiv_status", "vih", "HIVStatus"),
    "cost": ("treatment_cost", "coste_tratamiento", "Behandlungskosten"),
    "days": ("stay_days", "dias_estancia", "Liegetage"),
}
LANGUAGES = {"English": 0, "Spanish": 1, "German": 2}
CANARIES = ("Zyxwarth", "Quokkaline", "quokka17@klinik.example", "5550137", "Ostrichgasse", "ibis colony", "7001331")
GIVEN = ("Ann", "Luis", "Petra", "Omar", "Greta", "Ivo", "Marta", "Sven", "Rosa", "Tim")
SURNAMES = ("Abbott", "Baumann", "Calvo", "Dorsch", "Espada", "Falk", "Grieve", "Hierro", "Imhof", "Jarvis")


def iban(account: int) -> str:
    """A German account number with its check digits."""
    rest = f"{37040044:08d}{account:010d}"
    return f"DE{98 - int(rest + '131400') % 97:02d}{rest}"


def hospital(language: str) -> pd.DataFrame:
    """The file; patients come back, so that no column but the accounts is all different."""
    draw = np.random.default_rng(17)
    who = draw.integers(0, 90, N)  # the patient of each stay
    columns = {
        "patient": 7_001_300 + who,
        "name": [f"{SURNAMES[i % 10]}" if i != 31 else "Zyxwarth" for i in who],
        "given": [GIVEN[i % 9] if i != 31 else "Quokkaline" for i in who],
        "mail": [f"{SURNAMES[i % 10].lower()}{i}@mail.example" if i != 31 else "quokka17@klinik.example" for i in who],
        "phone": [f"+49 170 {5_550_106 + i}" for i in who],
        "address": [f"{('Ost', 'West')[i % 2]}{'richgasse' if i == 31 else 'gasse'} {i + 1}" for i in who],
        "born": [f"{1930 + i}-0{1 + i % 9}-1{i % 10}" for i in who],
        "text": [
            f"came with {'an ibis colony' if i == 31 else 'a cough'} and was seen by doctor {i % 7} on day {i % 30}"
            for i in who
        ],
        "account": [iban(4_700_000 + i) for i in range(N)],
        "age": 94 - who,
        "sex": draw.choice(["f", "m"], N),
        "ward": draw.choice(["surgery", "heart", "skin"], N),
        "admitted": [f"2024-0{1 + day % 4}-1{day % 10}" for day in draw.integers(0, 40, N)],
        "diagnosis": draw.choice(["I10", "E11", "J45", "K35", "C50"], N),
        "hiv": draw.choice(["negative", "positive", "unknown"], N, p=[0.8, 0.05, 0.15]),
        "cost": draw.lognormal(7, 0.7, N).round(2),
        "days": draw.gamma(3, 2, N).round(1),
    }
    assert 31 in who
    place = LANGUAGES[language]
    return pd.DataFrame({{**IDENTIFYING, **OTHERS}[what][place]: values for what, values in columns.items()})

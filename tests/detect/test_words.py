"""Column names as words, and what they say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.detect.words import says, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PatientID_2", ("patient", "id")),
        ("UTILITYID", ("utility", "id")),
        ("fecha-Nacimiento", ("fecha", "nacimiento")),
        ("Straße", ("strasse",)),
        ("Prénom", ("prenom",)),
        ("AFNLWGT", ("afnl", "wgt")),
        ("HTTPServerName", ("http", "server", "name")),
        ("kundennr", ("kunden", "nr")),
        (7, ()),
    ],
)
def test_names_are_split_into_words(name: object, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    "name", ["bid", "valid", "paid", "GRID", "humid", "amount_paid", "number_of_children", "covid"]
)
def test_words_are_not_found_inside_words(name: str) -> None:
    assert not says(words_of(name), "number of records")


@pytest.mark.parametrize(
    ("meaning", "names"),
    {
        "number of records": ("id", "PatientID", "Kundennummer", "numero_paciente", "DNI", "n_identifiant", "caseNo"),
        "text that identifies": ("e-mail", "Nachname", "apellidos", "prenom", "cognome", "achternaam", "adreça"),
        "long number": ("phone_number", "Telefonnummer", "teléfono", "IBAN", "telemovel"),
        "birth": ("date_of_birth", "Geburtsdatum", "fecha_nacimiento", "date_naissance"),
        "weight": ("sampling_weight", "WGT", "household_weights", "poids", "Gewicht", "factor_expansion"),
        "household": ("household_id", "hhid", "Haushalts_nr"),
        "confidential": ("HIV_status", "Diagnose", "diagnóstico", "income", "Gehalt", "salaire", "religion", "union"),
        "key": ("Geschlecht", "sexo", "postcode", "region", "marital_status", "Wohnort"),
    }.items(),
)
def test_words_of_several_languages_are_known(meaning: str, names: tuple[str, ...]) -> None:
    assert [name for name in names if not says(words_of(name), meaning)] == []


@pytest.mark.parametrize(
    "name",
    [
        *("bdate", "BIRTHDT", "gebdat", "Geburtsd.", "ddn", "fecha_nac", "f_nac", "data_nasc", "dtnasc", "nato_il"),
        *("gebdag", "data_urodzenia", "fodselsdato", "birth_date_amount"),
    ],
)
def test_days_of_birth_are_known_by_their_name_whatever_their_span(name: str) -> None:
    days = [f"{2005 + i % 18}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(60)]
    found = mv.inspect(pd.DataFrame({name: days, "wages": np.arange(60) * 1.5}))
    assert found.roles[name] == "identifier"


@pytest.mark.parametrize("name", ["SVNR", "Personalnr", "hetu", "rijksregister", "chart_no"])
def test_numbers_of_persons_are_known_by_their_name_though_they_repeat(name: str) -> None:
    found = mv.inspect(pd.DataFrame({name: [70_000_000 + i % 40 for i in range(200)], "wages": np.arange(200) * 1.5}))
    assert found.roles[name] == "identifier"


@pytest.mark.parametrize("name", ["fname", "lname", "next_of_kin"])
def test_names_are_known_by_short_names_of_their_columns(name: str) -> None:
    found = mv.inspect(pd.DataFrame({name: [f"Xaver{chr(97 + i % 16)}" for i in range(200)]}))
    assert found.roles[name] == "identifier"

"""Vocabularies, hierarchies and probabilities of the generated survey."""

from __future__ import annotations

from microveil.datasets.schema import ancestors

REGIONS: dict[str, tuple[str, ...]] = {
    "Centre": ("Harwick", "Millstead", "Ostrey", "Kingsbarn", "Fenlow", "Tarrin"),
    "North": ("Aldmoor", "Skerrin", "Borvik", "Hollin", "Grenmark"),
    "East": ("Lindhal", "Marosk", "Weidan", "Perrow", "Castell", "Ivrey"),
    "South": ("Solano", "Vermera", "Quintal", "Brisa", "Olmedo", "Tessaro", "Caldes"),
    "West": ("Penmor", "Carrick", "Rosslan", "Dunvale"),
}
DISTRICTS = ancestors(REGIONS, ("all",))
# people that a sampled one stands for, by region
DESIGN_WEIGHTS = (420.0, 180.0, 260.0, 340.0, 150.0)

EDUCATION = [
    "none",
    "primary",
    "lower secondary",
    "upper secondary",
    "post-secondary",
    "bachelor",
    "master",
    "doctorate",
]

MARITAL_STATUS = ["never married", "married", "separated", "divorced", "widowed"]

RELATIONSHIP = ["reference person", "partner", "child", "other"]

OCCUPATION_TREE: dict[str, dict[str, tuple[str, ...]]] = {
    "managers": {
        "administrative managers": ("finance manager", "sales manager"),
        "production managers": ("site manager", "hotel manager"),
    },
    "professionals": {
        "health professionals": ("nurse", "physician"),
        "teaching professionals": ("school teacher", "university lecturer"),
        "technical professionals": ("software developer", "engineer"),
        "legal and social professionals": ("social worker", "lawyer"),
    },
    "technicians": {
        "science technicians": ("laboratory technician", "process technician"),
        "business associates": ("bookkeeper", "insurance agent"),
    },
    "clerks": {
        "office clerks": ("secretary", "data entry clerk"),
        "customer clerks": ("receptionist", "bank teller"),
    },
    "service and sales workers": {
        "personal service workers": ("cook", "hairdresser"),
        "sales workers": ("shop assistant", "market seller"),
        "protective service workers": ("police officer", "firefighter"),
    },
    "agricultural workers": {
        "growers": ("field crop grower", "gardener"),
        "animal producers": ("dairy farmer", "fish farmer"),
    },
    "craft workers": {
        "building trades": ("electrician", "bricklayer"),
        "metal and food trades": ("mechanic", "baker"),
    },
    "operators": {
        "drivers": ("lorry driver", "bus driver"),
        "machine operators": ("assembler", "textile machine operator"),
    },
    "elementary workers": {
        "cleaners and helpers": ("cleaner", "kitchen helper"),
        "labourers": ("warehouse labourer", "construction labourer"),
    },
    "armed forces": {"armed forces ranks": ("soldier", "officer")},
    "not in work": {
        "in education": ("child below school age", "pupil or student"),
        "former workers": ("retired", "unable to work"),
        "without a job": ("unemployed", "homemaker"),
    },
}
OCCUPATIONS = ancestors(OCCUPATION_TREE, ("all",))

# relative frequency of the ten working major groups, one row per level of education
MAJOR_BY_EDUCATION = [
    [0.2, 0.1, 0.3, 0.5, 8, 5, 8, 10, 25, 0.05],
    [0.5, 0.2, 0.7, 2, 14, 5, 13, 14, 22, 0.1],
    [1, 0.8, 2, 5, 20, 3.5, 16, 14, 15, 0.4],
    [3, 4, 9, 13, 21, 2.5, 15, 9, 6, 0.6],
    [5, 12, 20, 14, 14, 1.5, 8, 4, 2, 0.7],
    [9, 42, 17, 10, 7, 0.7, 2, 1, 0.8, 0.6],
    [14, 60, 11, 5, 3, 0.5, 0.8, 0.4, 0.4, 0.5],
    [12, 80, 5, 1, 0.6, 0.2, 0.2, 0.1, 0.1, 0.2],
]

# shift of log income
MAJOR_PREMIUM = [0.55, 0.35, 0.15, 0.0, -0.12, -0.25, 0.0, -0.03, -0.3, 0.05]
LEAF_PREMIUM = {"physician": 0.5, "lawyer": 0.4, "finance manager": 0.25, "university lecturer": 0.15}

# activity by age band: child, pupil, retired, unable, unemployed, homemaker, at work
AGE_BANDS = [6, 18, 25, 60, 67]
ACTIVITY: list[list[float]] = [
    [1, 0, 0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0],
    [0, 0.42, 0, 0.01, 0.08, 0.02, 0.47],
    [0, 0.01, 0.005, 0.035, 0.055, 0.055, 0.84],
    [0, 0, 0.4, 0.06, 0.03, 0.07, 0.44],
    [0, 0, 0.93, 0.005, 0, 0.035, 0.03],
]
# typical yearly income of those not at work, in the order above
NOT_WORKING_INCOME = [0.0, 4000.0, 19000.0, 14000.0, 9500.0, 4500.0]

NATIONALITY_TREE: dict[str, dict[str, tuple[str, ...]]] = {
    "home": {"nationals": ("national",)},
    "Europe": {
        "Southern Europe": ("Italy", "Spain", "Portugal", "Greece", "Malta"),
        "Western Europe": ("Germany", "France", "Netherlands", "Luxembourg"),
        "Eastern Europe": ("Romania", "Poland", "Ukraine", "Bulgaria", "Moldova"),
        "Northern Europe": ("Sweden", "Ireland", "Iceland"),
    },
    "Asia": {
        "Western Asia": ("Syria", "Georgia", "Yemen"),
        "Southern Asia": ("India", "Pakistan", "Nepal", "Bhutan"),
        "Eastern Asia": ("China", "Japan", "Mongolia"),
    },
    "Africa": {
        "Northern Africa": ("Morocco", "Algeria", "Tunisia"),
        "Sub-Saharan Africa": ("Nigeria", "Senegal", "Ghana", "Eritrea", "Lesotho"),
    },
    "Americas": {
        "Latin America": ("Brazil", "Colombia", "Peru", "Suriname"),
        "Northern America": ("United States", "Canada"),
    },
    "Oceania": {"Pacific": ("Australia", "New Zealand", "Tonga")},
}
NATIONALITIES = ancestors(NATIONALITY_TREE, ("all",))
COUNTRIES_BY_FREQUENCY = (
    *("Romania", "Italy", "Germany", "Poland", "Ukraine", "Syria", "Portugal", "Morocco", "India", "Spain"),
    *("China", "France", "Bulgaria", "Brazil", "Nigeria", "Pakistan", "Greece", "Colombia", "United States"),
    *("Netherlands", "Algeria", "Moldova", "Tunisia", "Ghana", "Georgia", "Peru", "Eritrea", "Ireland"),
    *("Senegal", "Japan", "Sweden", "Canada", "Nepal", "Australia", "Yemen", "Luxembourg", "New Zealand"),
    *("Malta", "Iceland", "Suriname", "Mongolia", "Lesotho", "Bhutan", "Tonga"),
)

HEALTH = [
    "none",
    "hypertension",
    "back pain",
    "asthma",
    "diabetes",
    "depression",
    "heart disease",
    "cancer",
    "epilepsy",
    "HIV",
]
# relative frequency by age band: under 18, 18 to 44, 45 to 64, 65 and over
HEALTH_BANDS = [18, 45, 65]
HEALTH_BY_AGE = [
    [90, 0.1, 0.6, 7, 0.4, 1.2, 0.3, 0.15, 0.5, 0.01],
    [72, 4, 9, 5, 1.5, 7, 0.8, 0.6, 0.5, 0.3],
    [45, 19, 15, 4, 7, 7, 4, 2.5, 0.4, 0.25],
    [24, 34, 12, 4, 12, 5, 14, 6, 0.4, 0.05],
]

GIVEN_STARTS = (
    "Al",
    "Bre",
    "Cas",
    "Do",
    "El",
    "Fa",
    "Gor",
    "Hel",
    "Is",
    "Jo",
    "Ka",
    "Lu",
    "Mar",
    "No",
    "Ot",
    "Per",
)
GIVEN_ENDS = {
    "female": ("a", "ina", "elle", "issa", "enne", "ira", "otte", "una"),
    "male": ("an", "o", "ric", "us", "en", "tor", "win", "as"),
}
FAMILY_STARTS = (
    "Ash",
    "Bel",
    "Cor",
    "Dra",
    "Em",
    "Fal",
    "Gran",
    "Hol",
    "Ive",
    "Kel",
    "Lor",
    "Mon",
    "Nor",
    "Os",
)
FAMILY_MIDDLES = ("de", "ri", "va", "lo", "mi", "ten", "sa", "bo")
FAMILY_ENDS = ("ck", "ne", "ro", "well", "s", "tti", "ng", "dt", "va", "ley")

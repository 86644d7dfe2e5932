"""Audits: every planted fault is named, and a sound package passes, whoever made it."""

from __future__ import annotations

import gzip
import shutil
from datetime import date

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import microveil as mv
from microveil import certify
from microveil.certify import PrivateKey, Statement
from microveil.core.errors import FileProblem
from microveil.measure import Scenario
from microveil.package import audit, write_package
from microveil.plan import Plan, Project
from tests.package.releases import FACTS, people, released

FORMATS = ("csv", "stata", "xlsx")
LIMITED = Scenario("neighbour", ("sex",), thresholds={"risk": 0.2})
TODAY = date(2026, 11, 16)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A package, and the file that it was made from."""
    folder = tmp_path_factory.mktemp("runs")
    source = folder / "secret-survey.parquet"
    pyarrow.parquet.write_table(people().frame, source)
    release = released(mv.read(source, **FACTS))
    figures = mv.evaluate(release.original, release, measures=["pil"], scenarios=[LIMITED])
    package = write_package(
        release,
        folder / "0001",
        FORMATS,
        evaluation=figures,
        scenarios=[LIMITED],
        review="2027-06-30",
        date="2026-11-16",
    )
    return package, source


@pytest.fixture
def given(made, tmp_path):
    """A copy of what was given away, to tamper with."""
    shutil.copytree(made[0].public, tmp_path / "package")
    return tmp_path / "package"


@pytest.fixture
def plain(tmp_path):
    """A folder in which others put what they like."""
    (tmp_path / "others").mkdir()
    return tmp_path / "others"


def frame(n: int = 40) -> pd.DataFrame:
    """Records in an order that says nothing."""
    return pd.DataFrame({"sex": [1, 2, 2, 1] * (n // 4), "pay": [(37 * i * i + 11) % 101 + 0.5 for i in range(n)]})


def faults(folder, **known: object) -> str:
    """What an audit holds against a package."""
    return "\n".join(str(one) for one in audit(folder, today=TODAY, **known).broken)


@pytest.mark.long
def test_a_sound_package_passes_with_all_that_is_known(made):
    package, source = made
    found = audit(package.public, log=package.internal / "log.json", original=source, words=["canary"], today=TODAY)
    assert found.ok, str(found)
    unchecked = [one.text for one in found.findings if one.state == "not checked"]
    assert unchecked == ["earlier releases of the same source are compared where they are named."]
    held = {one.check for one in found.findings if one.state == "holds"}
    assert held == {
        "certificate",
        "run",
        "files",
        "codebook",
        "strangers",
        "identifiers",
        "copies",
        "scenarios",
        "rules",
        "traces",
        "weights",
        "promises",
        "search",
    }


def test_a_stranger_is_told_what_could_not_be_checked(given):
    found = audit(given, today=TODAY)
    assert not found.broken
    unchecked = [one.check for one in found.findings if one.state == "not checked"]
    assert unchecked == ["composition", "scenarios", "weights", "published", "promises", "search"]
    assert "6 checks could not be made" in found.line


@pytest.mark.parametrize("name", ["data.xlsx", "codebook.txt"])
def test_a_changed_file_is_named(given, name):
    raw = bytearray((given / name).read_bytes())
    raw[len(raw) // 2] ^= 1
    (given / name).write_bytes(bytes(raw))
    assert f"{name} was changed" in faults(given)


def test_files_that_differ_are_named(given):
    text = (given / "data.csv").read_text().splitlines()
    (given / "data.csv").write_text("\n".join([text[0], text[2], text[1], *text[3:]]) + "\n")
    told = faults(given)
    assert "data.csv and data.dta differ in" in told


def test_a_file_of_the_log_alone_keeps_its_promises(given, made):
    package, source = made
    text = (given / "data.csv").read_text().splitlines()
    (given / "data.csv").write_text("\n".join(text[:-1]) + "\n")
    told = faults(given, log=package.internal / "log.json", original=source)
    assert "data.csv is not among the files that the log says were written" in told
    assert "data.csv has 119 records, data.dta 120" in told


def test_the_codebook_must_describe_the_files(given):
    book = (given / "codebook.xml").read_text()
    (given / "codebook.xml").write_text(book.replace('name="income"', 'name="pay"'))
    assert "codebook.xml does not describe the columns of data.csv" in faults(given)
    (given / "codebook.xml").write_text("<!DOCTYPE x>" + book)
    assert "document type" in faults(given)


@pytest.mark.long
def test_signatures_are_asked_of_trusted_keys(given):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    one, two = (PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([n] * 32))) for n in (1, 2))
    assert "not signed" in faults(given, trusted=[one.public])
    certify.sign_folder(given, one)
    assert audit(given, trusted=[one.public], today=TODAY).ok
    assert "signed by 1 of the trusted keys" in faults(given, trusted=[two.public])
    assert "signed by 2" in faults(given, trusted=[one.public, two.public], signers=2)
    unchecked = audit(given, today=TODAY)
    assert not unchecked.broken
    assert any("Give trusted=..." in str(one) for one in unchecked.findings)


def test_without_a_certificate_nobody_answers(given):
    (given / "certificate.json").unlink()
    assert not faults(given)
    assert "nobody answers" in faults(given, trusted=[])


def test_a_review_that_is_due_is_told(given):
    late = audit(given, today=date(2027, 7, 1))
    assert any("reviewed by 2027-06-30, which has passed" in one.text for one in late.findings)


# -- protection ------------------------------------------------------------------------------------


def test_k_is_told_in_both_readings_as_each_program_reads_the_file(made):
    package, _ = made
    told = str(audit(package.public, log=package.internal / "log.json", today=TODAY))
    sexes = mv.read(package.public / "data.csv").frame["sex"].to_pylist()
    k = min(sexes.count(1), sexes.count(2))
    assert f"holds: data.csv, read by microveil, pandas and polars: scenario 'neighbour': k is {k} with" in told
    assert "0 % of the records have a risk above 0.2, 0 % are allowed" in told


def project_of(tmp_path, **stated: object):
    """A project file about sex and pay."""
    columns = {"sex": {"role": "key"}, "pay": {"role": "confidential"}}
    Project("x.csv", columns=columns, **stated).save(tmp_path / "project.yaml")
    return tmp_path / "project.yaml"


def test_a_scenario_over_its_limit_is_named(plain, tmp_path):
    frame().assign(sex=[1, 1, 3, *[2] * 37]).to_csv(plain / "data.csv", index=False)
    told = faults(plain, project=project_of(tmp_path, scenarios=(LIMITED,)))
    assert "scenario 'neighbour': k is 1 with" in told
    assert "7.5 % of the records have a risk above 0.2" in told


def test_k_l_and_t_of_the_plan_are_counted(plain, tmp_path):
    # sex 1: pays a, a; sex 2: a, b: the first shows one value; half of it away from 3/4 a and 1/4 b is 1/4
    pd.DataFrame({"sex": [1, 2, 1, 2], "pay": ["a", "a", "a", "b"]}).to_csv(plain / "data.csv", index=False)
    model = mv.Anonymity(k=2, sensitive=["pay"], l=2, t=0.2)
    told = faults(plain, project=project_of(tmp_path, plan=Plan([(mv.mask.KAnonymise(model=model), ["sex"])])))
    assert "k is 2, 2 is asked for; l of pay is 1 (distinct), 2 is asked for; t of pay is 0.25, 0.2 is allowed" in told
    model = mv.Anonymity(k=2, sensitive=["pay"], l=1, t=0.25)
    sound = project_of(tmp_path, plan=Plan([(mv.mask.KAnonymise(model=model), ["sex"])]))
    assert audit(plain, project=sound, today=TODAY).ok


def test_counting_is_not_trusted_where_keys_were_perturbed(plain, tmp_path):
    frame().to_csv(plain / "data.csv", index=False)
    plan = Plan([(mv.mask.Pram(), ["sex"])])
    found = audit(plain, project=project_of(tmp_path, scenarios=(LIMITED,), plan=plan), today=TODAY)
    assert any("sex was perturbed" in one.text and one.state == "not checked" for one in found.findings)


def test_broken_rules_are_named(plain, tmp_path):
    frame().assign(pay=-1.5).iloc[:3].to_csv(plain / "data.csv", index=False)
    assert "3 records break the rule 'pay >= 0'" in faults(
        plain, project=project_of(tmp_path, constraints=("pay >= 0",))
    )


# -- traces ----------------------------------------------------------------------------------------


def test_a_plain_file_of_others_passes(plain):
    frame().to_csv(plain / "data.csv", index=False)
    (plain / "README.txt").write_text("To whom it may concern:\nread it.\n")
    found = audit(plain, today=TODAY)
    assert not found.broken, str(found)


def test_an_index_and_an_order_are_named(plain):
    frame().to_csv(plain / "data.csv", index_label="nr")
    assert "counts the records" in faults(plain)
    frame().sort_values("pay", ascending=False).to_csv(plain / "data.csv", index=False)
    assert "sorted by 'pay'" in faults(plain)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_categories_that_no_record_has_are_named(plain, ending):
    column = pa.DictionaryArray.from_arrays([0, 1] * 20, ["north", "south", "canary"])
    table = pa.table({"region": column})
    write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather
    write(table, plain / f"data.{ending}")
    assert "lists categories that no record has" in faults(plain)


def book_with(path, change) -> None:
    frame().to_excel(path, index=False)
    book = openpyxl.load_workbook(path)
    change(book)
    book.properties.creator = None
    book.save(path)


def hide_sheet(book) -> None:
    book.create_sheet("staff").sheet_state = "hidden"


def add_formula(book) -> None:
    book.active["B3"] = "=1+1"


def add_comment(book) -> None:
    book.active["B3"].comment = openpyxl.comments.Comment("Jane", "Jane")


def hide_column(book) -> None:
    book.active.column_dimensions["B"].hidden = True


def name_author(book) -> None:
    book.properties.lastModifiedBy = "Jane"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (hide_sheet, "2 sheets, of which 1 is hidden"),
        (add_formula, "formula"),
        (add_comment, "comments"),
        (hide_column, "hides rows or columns"),
        (name_author, "its properties tell lastModifiedBy"),
    ],
)
def test_what_workbooks_hide_is_named(plain, change, told):
    book_with(plain / "data.xlsx", change)
    assert told in faults(plain)


def test_formulas_in_csv_are_told(plain):
    frame().assign(text=["=cmd()", "b"] * 20).to_csv(plain / "data.csv", index=False)
    found = audit(plain, today=TODAY)
    assert not found.broken
    assert any("taken for formulas" in one.text for one in found.findings)


def test_an_order_of_the_original_is_named(plain, tmp_path):
    rng_frame = frame(200).assign(pay=[((7919 * i) % 2003) / 2 for i in range(200)])
    rng_frame.to_csv(tmp_path / "original.csv", index=False)
    rng_frame.to_csv(plain / "data.csv", index=False)
    assert "by the order of its records (100 %)" in faults(plain, original=tmp_path / "original.csv")


# -- search ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_canary_that_is_packed_is_found(given, made):
    (given / "more.gz").write_bytes(gzip.compress(b"Name: canary-0007"))
    told = faults(given, original=made[1], project=None, log=made[0].internal / "log.json")
    assert "1 word of the source that must not be in it" in told
    assert "must not be in it" in faults(given, words=["canary-0007"])


@pytest.mark.long
def test_a_category_that_was_removed_is_found_in_the_codebook(given, made, tmp_path):
    known = pyarrow.parquet.read_table(made[1]).to_pandas()
    known.loc[5, "region"] = "canary island"
    known.to_parquet(tmp_path / "original.parquet")
    book = (given / "codebook.xml").read_text()
    assert "no record has any more" not in faults(given, original=tmp_path / "original.parquet")
    (given / "codebook.xml").write_text(book.replace(">north<", ">canary island<"))
    told = faults(given, original=tmp_path / "original.parquet")
    assert "codebook.xml holds values of 'region' that no record has any more" in told


def test_a_bomb_ends_in_a_line(plain, monkeypatch):
    monkeypatch.setenv("MICROVEIL_MOST_UNPACKED", "10000")
    (plain / "data.csv.gz").write_bytes(gzip.compress(b"x\n" + b"1\n" * 100_000))
    told = faults(plain, words=["canary"])
    assert "data.csv.gz cannot be read" in told
    assert "data.csv.gz cannot be unpacked" in told


def test_what_is_no_package_is_told(plain):
    assert "no file of data" in faults(plain)
    with pytest.raises(FileProblem, match="there is no"):
        audit(plain / "none")


# -- command ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_command_says_it_all_and_ends_accordingly(given, made, run):
    package, source = made
    known = ("--original", source, "--log", package.internal / "log.json")
    run("audit", given, *known, match="The audit finds no fault")
    (given / "data.csv").write_text("x\n1\n")
    run("audit", given, *known, status=1, match="BROKEN: data.csv was changed.")
    run("audit", given, "--signers", 2, status=2)


def test_the_command_trusts_a_folder_of_keys(given, tmp_path, run):
    certify.new_key(tmp_path / "jane.key", "three quiet words", "Jane")
    certify.sign_folder(given, certify.read_private_key(tmp_path / "jane.key", "three quiet words"))
    run("audit", given, "--trust", tmp_path, match="holds: the certificate is signed by Jane.")


def test_a_statement_about_other_files_is_no_way_out(plain):
    frame().to_csv(plain / "data.csv", index=False)
    certify.write_certificate(plain, Statement({"other.csv": "0" * 64}))
    told = faults(plain)
    assert "other.csv is missing" in told
    assert "data.csv is not named by the certificate" in told

"""Audits without the original: what a plan says of a file proves nothing about it."""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow.csv import write_csv

import microveil as mv
from microveil import certify
from microveil.certify import PrivateKey, Statement
from microveil.cli import main
from microveil.core.errors import BrokenPromise
from microveil.package import audit, write_package
from microveil.package.signing import sign_package
from tests.package.firms_audited import AMOUNTS, PROJECT
from tests.package.releases import released

COUNTED = """
version: 1
dataset: {path: firms.csv}
columns:
  region: {role: key, kind: nominal}
scenarios:
- {name: neighbour, keys: [region], thresholds: {risk: 0.2, share: 0}}
"""


def test_raw_data_in_another_order_do_not_pass_by_what_the_plan_says(place: Path):
    found = audit(place / "raw.csv", project=place / "project.yaml")
    assert not found.broken
    assert not found.ok
    (one,) = found.undecided
    assert "whether employees, total_revenue and total_sales were perturbed, as the plan says, was not checked" in str(
        one
    )
    assert found.line.startswith("UNDECIDED: no fault in")


def test_raw_records_that_were_found_are_not_told_as_unseen(place: Path):
    found = audit(place / "raw.csv", project=place / "project.yaml", original=place / "firms.csv")
    assert any("are the original's as they are" in one.text for one in found.broken)
    assert not any("no raw record" in one.text for one in found.findings)


def test_the_command_does_not_pass_what_is_undecided(place: Path, monkeypatch, capsys):
    words = ["microveil", "audit", str(place / "raw.csv"), "--project", str(place / "project.yaml")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "UNDECIDED" in capsys.readouterr().out.splitlines()[-1]


def test_without_anything_that_is_known_an_audit_is_undecided(place: Path):
    (one,) = audit(place / "raw.csv").undecided
    assert "nobody says what was done to them" in one.text


@pytest.mark.parametrize("share", [1.0, 0.3], ids=["all", "some"])
def test_beside_the_original_the_plan_is_run_again(place: Path, tmp_path: Path, share: float):
    data = mv.read(place / "firms.csv", roles={"enterprise_id": "identifier"})
    made = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=AMOUNTS)
    frame = made.data.frame.drop_columns(["enterprise_id"]).to_pandas()
    raw = data.frame.to_pandas()[AMOUNTS]
    few = round(share * len(raw))
    frame[AMOUNTS] = frame[AMOUNTS].astype(float)
    frame.loc[: few - 1, AMOUNTS] = raw.loc[: few - 1, AMOUNTS].astype(float)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "mixed.csv", index=False)
    found = audit(tmp_path / "mixed.csv", project=place / "project.yaml", original=place / "firms.csv")
    told = [one.text for one in found.broken if one.check == "copies"]
    assert len(told) == 1
    assert ("said to be perturbed" if share == 1 else "a run of the plan leaves 0 %") in told[0]


@pytest.mark.parametrize("raw", [True, False], ids=["in cents", "as it was made"])
def test_the_original_alone_does_not_show_that_all_columns_were_perturbed(place: Path, tmp_path: Path, raw: bool):
    data = mv.read(place / "firms.csv", roles={"enterprise_id": "identifier"})
    made = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=AMOUNTS)
    frame = made.data.frame.drop_columns(["enterprise_id"]).to_pandas()
    if raw:
        frame["total_sales"] = 100.0 * data.frame.to_pandas()["total_sales"]
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "made.csv", index=False)
    found = audit(tmp_path / "made.csv", project=place / "project.yaml", original=place / "firms.csv")
    assert not found.ok
    (told,) = [one.text for one in found.undecided if one.check == "protection"]
    assert "that all of employees, total_revenue and total_sales were perturbed, as the plan says, nobody can" in told


def test_one_column_that_was_left_raw_is_found(tmp_path: Path):
    rng = np.random.default_rng(5)
    n = 200
    raw = pd.DataFrame(
        {"age": rng.integers(18, 90, n), "size": rng.integers(1, 400, n), "income": rng.gamma(2, 900, n).round(2)}
    )
    raw.to_csv(tmp_path / "people.csv", index=False)
    step = "{method: {correlated-noise: {p: 0.5}}, columns: [size, income]}"
    (tmp_path / "project.yaml").write_text(f"version: 1\ndataset: {{path: people.csv}}\nplan:\n  steps:\n  - {step}\n")
    raw["size"] = raw["size"] + rng.integers(1, 50, n)
    raw.sample(frac=1, random_state=2).to_csv(tmp_path / "half.csv", index=False)
    found = audit(tmp_path / "half.csv", project=tmp_path / "project.yaml", original=tmp_path / "people.csv")
    assert any("by 'income'" in one.text for one in found.broken if one.check == "copies")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: raw * 1.0001, "as they are, by 'employees'"),
        (lambda raw: raw.assign(employees=raw["employees"] + 0.5), "by 'total_sales'"),
    ],
    ids=["by a hair", "one column"],
)
def test_raw_data_that_were_changed_a_little_are_found(place: Path, tmp_path: Path, change, told):
    text = PROJECT.replace("columns: [employees, total_sales, total_revenue]", "columns: [employees, total_sales]")
    (tmp_path / "project.yaml").write_text(text)
    raw = pd.read_csv(place / "raw.csv")
    changed = change(raw).assign(total_revenue=raw["total_revenue"]).round(3)
    changed.to_csv(tmp_path / "data.csv", index=False)
    found = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml", original=place / "firms.csv")
    assert any(told in one.text for one in found.broken if one.check == "copies"), str(found)


def test_values_hidden_in_a_column_that_the_plan_leaves_are_found(place: Path, tmp_path: Path):
    text = PROJECT.replace("columns: [employees, total_sales, total_revenue]", "columns: [employees, total_sales]")
    (tmp_path / "project.yaml").write_text(text)
    data = mv.read(place / "firms.csv", roles={"enterprise_id": "identifier"})
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5))
    mv.write(method.apply(data, columns=["employees", "total_sales"]), tmp_path / "data.csv")
    known = {"project": tmp_path / "project.yaml", "original": place / "firms.csv"}
    assert not audit(tmp_path / "data.csv", **known).broken
    frame = pd.read_csv(tmp_path / "data.csv")
    frame["total_revenue"] += data.frame.to_pandas()["total_sales"] / 1e9
    frame.to_csv(tmp_path / "data.csv", index=False)
    told = [one.text for one in audit(tmp_path / "data.csv", **known).broken if one.check == "copies"]
    assert told == [
        "data.csv: 'total_revenue' holds values that the original has not, although the plan leaves it as collected."
    ]


def test_limits_that_were_counted_are_a_ground(tmp_path: Path):
    (tmp_path / "project.yaml").write_text(COUNTED)
    (tmp_path / "data.csv").write_text("region\n" + "".join(f"{'nsn'[i % 3]}\n" for i in range(30)))
    assert audit(tmp_path / "data.csv", project=tmp_path / "project.yaml").ok


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("region,Sex", ["nobody says what Sex of data.csv is", "data.csv lacks sex, a column by which the data are"]),
        ("region,sex,nom", ["nobody says what nom of data.csv is"]),
        ("region", ["data.csv lacks sex, a column by which the data are judged"]),
    ],
    ids=["under another name", "one more", "one less"],
)
def test_columns_that_nobody_stated_and_keys_that_are_gone_are_no_ground(tmp_path: Path, head: str, told: list[str]):
    (tmp_path / "project.yaml").write_text(COUNTED.replace("keys: [region]", "keys: [region, sex]"))
    cells = (head, *(",".join(["n"] * len(head.split(","))) for _ in range(30)))
    (tmp_path / "data.csv").write_text("\n".join(cells) + "\n")
    (one,) = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml").undecided
    assert all(words in one.text for words in told), one.text


def test_what_the_plan_says_of_keys_and_sensitive_columns_that_are_gone_is_no_ground(tmp_path: Path):
    model = "{k-anonymise: {k: 2, model: {anonymity: {k: 2, sensitive: [ill], l: 1}}}}"
    step = f"plan:\n  steps:\n  - {{method: {model}, columns: [region, sex]}}\n"
    (tmp_path / "project.yaml").write_text(COUNTED + step)
    (tmp_path / "data.csv").write_text("region\n" + "n\n" * 30)
    found = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml")
    assert any("data.csv lacks ill and sex, columns by which" in one.text for one in found.undecided), str(found)
    assert "what is asked of ill cannot be counted, since the file has no such column" in str(found)


@pytest.mark.parametrize("meant", [False, True])
def test_keys_that_no_step_changes_and_no_limit_is_about_are_no_ground(tmp_path: Path, meant: bool):
    """The raw file in another order kept a limit on one column, whatever stood beside."""
    rows = [f"{place * 7 % 60},{'fm'[place % 2]},{place * 37 % 101}" for place in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["age,sex,pay", *rows]) + "\n")
    (tmp_path / "project.yaml").write_text(
        "version: 1\ndataset: {path: raw.csv}\n"
        "columns: {age: {role: key}, sex: {role: key}, pay: {role: confidential}}\n"
        "scenarios:\n- {name: sex, keys: [sex], thresholds: {risk: 0.5}}\n" + "release: {as_they_are: [age]}\n" * meant
    )
    found = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml")
    assert found.ok == meant
    assert ("no step changes age, and no limit is about it" in str(found)) != meant


def test_that_a_plan_makes_columns_coarser_is_no_ground(tmp_path: Path):
    """Raw amounts passed beside keys that kept their limit."""
    step = "plan:\n  steps:\n  - {method: {round: {base: 100}}, columns: [pay]}\n"
    pay = "columns:\n  pay: {role: confidential}\n  region:"
    (tmp_path / "project.yaml").write_text(COUNTED.replace("columns:\n  region:", pay) + step)
    (tmp_path / "data.csv").write_text("region,pay\n" + "".join(f"n,{37 * i % 1009}\n" for i in range(30)))
    (one,) = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml").undecided
    assert "whether pay was made coarser, as the plan says, was not checked" in one.text


def test_columns_that_nobody_stated_are_looked_at_for_identifiers(tmp_path: Path):
    (tmp_path / "project.yaml").write_text(COUNTED)
    rows = "".join(f"n,Anna Zyx{chr(97 + i)}{chr(107 - i % 7)} Quor\n" for i in range(26))
    (tmp_path / "data.csv").write_text("region,name\n" + rows)
    found = audit(tmp_path / "data.csv", project=tmp_path / "project.yaml")
    told = "the column 'name', of which nobody states a role, looks like an identifier"
    assert any(told in one.text for one in found.undecided), str(found)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    made = released()
    figures = mv.evaluate(made.original, made, measures=["pil"])
    return write_package(made, tmp_path_factory.mktemp("runs") / "0001", ["csv"], evaluation=figures)


def test_the_log_knows_its_files_without_the_original(package, tmp_path: Path):
    found = audit(package.public, log=package.internal / "log.json")
    assert found.ok
    assert any("byte for byte, a file that the log says was written" in one.text for one in found.findings)
    shutil.copytree(package.public, tmp_path / "package")
    text = (tmp_path / "package" / "data.csv").read_text().splitlines()
    (tmp_path / "package" / "data.csv").write_text("\n".join([text[0], text[2], text[1], *text[3:]]) + "\n")
    found = audit(tmp_path / "package", log=package.internal / "log.json")
    assert any("not among the files that the log says were written" in one.text for one in found.broken)


def test_a_package_in_its_run_is_audited_with_the_log_beside_it(package, tmp_path: Path):
    shutil.copytree(package.folder, tmp_path / "0001")
    found = audit(tmp_path / "0001" / "package")
    assert found.ok
    assert "the private log beside the package, internal/log.json, was used" in str(found)
    rows = (tmp_path / "0001" / "package" / "data.csv").read_text().splitlines()
    (tmp_path / "0001" / "package" / "data.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    told = "\n".join(one.text for one in audit(tmp_path / "0001" / "package").broken)
    assert "not among the files that the log says were written" in told
    shutil.rmtree(tmp_path / "0001" / "internal")
    assert "log beside the package" not in str(audit(tmp_path / "0001" / "package"))


def certified_anew(folder: Path, **said: object) -> None:
    """The certificate of an unsigned package as whoever changed it would write it."""
    old = certify.read_certificate(folder).statement
    names = [name for name in sorted(one.name for one in folder.iterdir()) if name != certify.CERTIFICATE]
    statement = certify.Statement.of_files(folder, names, {**old.predicate, **said})
    (folder / certify.CERTIFICATE).write_bytes(statement.to_bytes())


def test_papers_and_certificates_written_anew_are_not_those_of_the_run(package, tmp_path: Path):
    shutil.copytree(package.folder, tmp_path / "0001")
    public = tmp_path / "0001" / "package"
    certified_anew(public)
    assert audit(public).ok
    certified_anew(public, records=99_999)
    assert [one.text for one in audit(public).broken] == [
        "certificate.json does not say what the run wrote into it.",
    ]
    (public / "notes.txt").write_text("Firm 1 sold for 123456.")
    (public / "report.html").write_text("<p>Firm 1 sold for 123456.</p>")
    certified_anew(public)
    told = "\n".join(one.text for one in audit(public).broken)
    assert "notes.txt was not written by the run" in told
    assert "report.html is not as the run wrote it" in told
    told = "\n".join(one.text for one in audit(public, log=tmp_path / "0001" / "internal" / "log.json").broken)
    assert "notes.txt was not written by the run" in told


def test_a_signed_package_is_still_the_one_of_its_run(package, tmp_path: Path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    shutil.copytree(package.folder, tmp_path / "0001")
    jane = PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
    certify.sign_folder(tmp_path / "0001" / "package", jane)
    found = audit(tmp_path / "0001" / "package", trusted=[jane.public])
    assert found.ok
    assert "all files are those that the run wrote" in str(found)
    (tmp_path / "0001" / "package" / certify.CERTIFICATE).unlink()
    (one,) = audit(tmp_path / "0001" / "package").broken
    assert one.text == "certificate.json was written by the run, and is missing."


def test_files_that_the_log_does_not_name_are_broken_beside_another_original_too(package, tmp_path: Path):
    shutil.copytree(package.folder, tmp_path / "0001")
    (tmp_path / "0001" / "internal" / "certificate.json").unlink()
    public = tmp_path / "0001" / "package"
    rows = (public / "data.csv").read_text().splitlines()
    (public / "data.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    certified_anew(public)
    write_csv(released().original.narwhal.to_arrow().slice(1), tmp_path / "other.csv")
    found = audit(public, original=tmp_path / "other.csv")
    assert "the log cannot be run again" in str(found)
    assert any("not among the files that the log says were written" in one.text for one in found.broken)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes with a place in a folder")
def test_a_pipe_in_a_package_is_a_fault_and_nobody_waits_for_it(package, tmp_path: Path):
    shutil.copytree(package.public, tmp_path / "package")
    os.mkfifo(tmp_path / "package" / "data2.csv")
    assert [str(one) for one in audit(tmp_path / "package").broken] == [
        "BROKEN: data2.csv is no file but a pipe, a socket or a device: take it out, and audit again."
    ]


def test_people_who_are_trusted_are_a_ground(package, tmp_path: Path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    jane = PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
    shutil.copytree(package.public, tmp_path / "package")
    unsigned = audit(tmp_path / "package")
    assert unsigned.ok
    assert "nobody whom you trust answers for what it says" in str(unsigned)
    certify.sign_folder(tmp_path / "package", jane)
    assert "nobody whom you trust answers for what it says" in str(audit(tmp_path / "package"))
    assert audit(tmp_path / "package", trusted=[jane.public]).ok
    (tmp_path / "package" / "data.csv").write_text("x\n1\n")
    assert "the files are those of the certificate" not in str(audit(tmp_path / "package", trusted=[jane.public]))
    with (tmp_path / "package" / "report.html").open("a") as page:
        page.write(" ")
    tampered = audit(tmp_path / "package", trusted=[jane.public])
    assert tampered.broken
    assert "trusted=..." not in str(tampered)  # these keys were given, and are no way out


def test_nobody_signs_a_statement_that_the_run_did_not_write(package, tmp_path: Path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    jane = PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
    shutil.copytree(package.public.parent, tmp_path / "run")
    place = tmp_path / "run" / "package"
    said = certify.read_certificate(place).statement
    certify.write_certificate(place, Statement(said.subjects, {**said.predicate, "review": "2099-01-01"}))
    with pytest.raises(BrokenPromise, match=r"does not say what the run wrote into it: nothing was signed"):
        sign_package(place, jane)
    certify.write_certificate(place, said)
    assert sign_package(place, jane) == said


def signed(place: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    sign_package(place, PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32))))


def rewritten(place: Path, **said: object) -> Statement:
    """The certificate of a folder as whoever may write there makes it."""
    old = certify.read_certificate(place).statement
    statement = Statement(old.subjects, {**old.predicate, **said}, old.predicate_type)
    certify.write_certificate(place, statement)
    return statement


@pytest.mark.parametrize("way", ["link", "other name", "no papers", "no certificate inside", "rewritten inside"])
def test_no_way_to_a_package_in_its_run_leads_around_what_the_run_kept(package, tmp_path: Path, way: str):
    shutil.copytree(package.folder, tmp_path / "0001")
    place, inside = tmp_path / "0001" / "package", tmp_path / "0001" / "internal"
    statement = rewritten(place, review="2099-01-01")
    if way == "link":
        (tmp_path / "mine").symlink_to(place)
        place = tmp_path / "mine"
    elif way == "other name":
        place = place.rename(tmp_path / "0001" / "Package")
    elif way == "no papers":
        shutil.rmtree(inside)
    elif way == "no certificate inside":
        (inside / "certificate.json").unlink()
    else:
        rewritten(inside, statement=sha256(statement.to_bytes()).hexdigest())
        assert any("the page to sign, does not name this" in one.text for one in audit(place).broken)
    with pytest.raises(BrokenPromise, match="nothing was signed"):
        signed(place)


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("package is a link", "package of the run 0002 is a link"),
        ("link to a link", "package of the run 0002 is a link"),
        ("run is a link", "is not there or cannot be read"),
        ("run renamed", "is not there or cannot be read"),
        ("package renamed", "is not there or cannot be read"),
        ("package inside", "is not there or cannot be read"),
        ("package deeper", "does not lie where the run 0002 wrote its package, but in mine"),
        ("papers renamed", "is not there or cannot be read"),
    ],
)
def test_a_run_is_known_by_its_place_whatever_was_moved_or_linked(package, tmp_path: Path, way: str, told: str):
    run = tmp_path / "runs" / "0002"
    shutil.copytree(package.folder, run)
    (tmp_path / "project.yaml").touch()
    place, away = run / "package", tmp_path / "away"
    rewritten(place, review="2099-01-01")
    if way in ("package is a link", "link to a link"):
        place.rename(away)
        place.symlink_to("../../away")
        (tmp_path / "mine").symlink_to("runs/0002/package")
        place = place if way == "package is a link" else tmp_path / "mine"
    elif way == "run is a link":
        run.rename(away)
        run.symlink_to("../away")
        shutil.rmtree(run / "internal")
    elif way == "package inside":
        place = place.rename(run / "internal" / "package")
    elif way == "package deeper":
        (run / "mine").mkdir()
        place = place.rename(run / "mine" / "package")
    else:
        (run / "internal").rename(away)
        if way == "run renamed":
            place = run.rename(run.with_name("final")) / "package"
        elif way == "package renamed":
            place = place.rename(run / "pkg")
        else:
            place = place.rename(away / "package")
    with pytest.raises(BrokenPromise, match=f"{told}.*nothing was signed"):
        signed(place)


def test_nobody_signs_inside_what_the_package_does_not_say(package, tmp_path: Path):
    shutil.copytree(package.folder, tmp_path / "0001")
    inside = tmp_path / "0001" / "internal"
    said = certify.read_certificate(inside).statement.predicate
    rewritten(inside, verdict={**said["verdict"], "state": "doubtful"})
    with pytest.raises(BrokenPromise, match="state other verdicts: nothing was signed"):
        signed(inside)
    rewritten(inside, verdict=said["verdict"])
    signed(inside)
    assert certify.read_certificate(inside).is_signed


def test_a_copy_that_was_taken_out_of_its_run_is_signed(package, tmp_path: Path):
    shutil.copytree(package.public, tmp_path / "copy")
    signed(tmp_path / "copy")
    assert certify.read_certificate(tmp_path / "copy").is_signed


def test_folders_that_are_only_called_as_those_of_runs_are_no_runs(package, tmp_path: Path):
    for place in (tmp_path / "runs" / "mine" / "given", tmp_path / "2024" / "given"):
        shutil.copytree(package.public, place)
        signed(place)
    shutil.copytree(package.public, tmp_path / "2025" / "given")
    (tmp_path / "link").symlink_to("2025")
    signed(tmp_path / "link" / ".." / "2025" / "given")


@pytest.mark.parametrize(
    ("kind", "said", "told"),
    [
        ("https://slsa.dev/provenance/v1", {"note": "must not be released"}, "which says nothing of a release"),
        ("urn:microveil:release:2", {"limits": "kept"}, "which says nothing of a release"),
        ("urn:microveil:internal:1", {"limits": "kept"}, "is one of an internal folder"),
        (certify.statement.RELEASE, {"limits": "broken"}, "says 'broken' of the limits"),
        (certify.statement.RELEASE, {}, "says nothing of the limits"),
    ],
)
def test_a_trusted_signature_counts_for_what_runs_say_of_releases(tmp_path: Path, kind: str, said: dict, told: str):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    jane = PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
    (tmp_path / "data.csv").write_text("x\n1\n")
    certify.write_certificate(tmp_path, Statement.of_files(tmp_path, ["data.csv"], said, kind))
    certify.sign_folder(tmp_path, jane)
    found = audit(tmp_path, trusted=[jane.public])
    assert any(told in one.text for one in found.broken), str(found)


# -- internal certificates -------------------------------------------------------------------------


def test_an_internal_certificate_does_not_end_the_search(package, tmp_path: Path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "survey.bin").write_bytes(b"name,pay\ncanary,3\n")
    shutil.copy(package.internal / "certificate.json", folder)
    found = audit(folder, words=["canary"])
    told = "\n".join(one.text for one in found.broken)
    assert "survey.bin holds 1 word of the source" in told
    assert "certificate.json holds an internal certificate, which stays inside" in told
    shutil.copy(package.internal / "log.json", folder)
    assert "survey.bin holds 1 word" in "\n".join(one.text for one in audit(folder, words=["canary"]).broken)


def test_an_internal_folder_is_never_one_to_give_away(package):
    found = audit(package.internal)
    assert not found.broken
    assert not found.ok
    assert "keep it inside" in str(found)


# -- project and log together ----------------------------------------------------------------------

STATED = """
version: 1
dataset: {path: people.csv}
columns:
  sex: {role: key, kind: nominal}
  region: {role: key, kind: nominal}
scenarios:
- {name: %s, keys: [sex, region], thresholds: {risk: %s, share: 0}}
"""


def test_the_log_beside_a_package_counts_with_a_project_too(package, tmp_path: Path):
    shutil.copytree(package.folder, tmp_path / "0001")
    (tmp_path / "project.yaml").write_text(STATED % ("neighbour", 0.5))
    public = tmp_path / "0001" / "package"
    found = audit(public, project=tmp_path / "project.yaml")
    assert found.ok, str(found)
    assert "the private log beside the package, internal/log.json, was used" in str(found)
    assert any("scenario 'neighbour'" in one.text and one.state == "holds" for one in found.findings)
    rows = (public / "data.csv").read_text().splitlines()
    (public / "data.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    told = "\n".join(one.text for one in audit(public, project=tmp_path / "project.yaml").broken)
    assert "not among the files that the log says were written" in told


def test_limits_and_identifiers_that_a_project_states_beside_the_log_are_judged(package, tmp_path: Path):
    stated = (STATED % ("strict", 0.001)).replace("version: 1", "version: 1\nconstraints: [income >= 1000000]")
    (tmp_path / "project.yaml").write_text(stated.replace("region: {role: key", "region: {role: identifier"))
    found = audit(package.public, project=tmp_path / "project.yaml", log=package.internal / "log.json")
    told = "\n".join(map(str, found.broken))
    assert "scenario 'strict'" in told
    assert "break the rule 'income >= 1000000'" in told
    assert "the column 'region' is an identifier, and has values" in told
    assert "the project states other roles for region and other scenarios than the log." in str(found)


# -- what would decide -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Give log=..., or project=... with original=..., or trusted=..."),
        ({"project": "project.yaml"}, "Give log=..., or original=..., or trusted=..."),
        ({"original": "firms.csv"}, "Give log=..., or project=..., or trusted=..."),
    ],
    ids=["nothing", "project", "original"],
)
def test_an_undecided_audit_names_what_would_decide_it(place: Path, given: dict[str, str], said: str):
    (one,) = audit(place / "raw.csv", **{name: place / file for name, file in given.items()}).undecided
    assert str(one).endswith(f"{said}.")


def test_the_command_names_the_options_that_would_decide(place: Path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["microveil", "audit", str(place / "raw.csv")])
    with pytest.raises(SystemExit):
        main()
    told = " ".join(capsys.readouterr().out.split())
    assert "Give --log LOG, or --project PROJECT with --original ORIGINAL, or --trust KEYS." in told
    assert "promises are checked with the original and the private log; both are needed. Give --log LOG and" in told
    assert "Give --project PROJECT or --log LOG." in told
    assert "Give --original ORIGINAL, --log LOG or --word WORD." in told
    assert "Give --register REGISTER or --earlier RUN." in told
    assert "=..." not in told

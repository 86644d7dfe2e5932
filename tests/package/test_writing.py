"""Packages: complete or not there, and nothing in what is given away that only the office may know."""

from __future__ import annotations

import gzip
import json
import re
import stat
import sys
import zipfile
from hashlib import sha256
from html import unescape
from importlib.metadata import distribution

import pyarrow.parquet
import pytest

import microveil as mv
from microveil import certify
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, OverLimit
from microveil.measure import Scenario
from microveil.package import find_faults, write_package, writing
from microveil.plan.release_plan import ReleasePlan
from microveil.report import render_external, typesetting
from microveil.report.external import ExternalContent
from microveil.report.parts import Report, Text
from tests.package.releases import FACTS, KEY, people, released

RISK = mv.risk.DistanceLinkage.title
FORMATS = ("csv", "parquet", "feather", "spss", "stata", "xlsx")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The data as a file with a telling name."""
    path = tmp_path_factory.mktemp("secret-folder") / "secret-survey.parquet"
    pyarrow.parquet.write_table(people().frame, path)
    return path


@pytest.fixture(scope="module")
def release(source):
    return released(mv.read(source, **FACTS), seed=KEY)


@pytest.fixture(scope="module")
def evaluation(release):
    return mv.evaluate(release.original, release, measures=["pil", "discernibility", "distance-linkage"])


@pytest.fixture(scope="module")
def package(release, evaluation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "0001"
    return write_package(
        release, folder, FORMATS, evaluation=evaluation, title="People", review="2027-01-31", date="2026-11-16"
    )


@pytest.mark.long
def test_everything_is_there_and_nothing_else(package):
    data = {"data.csv", "data.parquet", "data.feather", "data.sav", "data.dta", "data.xlsx"}
    assert set(package.data) == data
    found = {path.relative_to(package.folder.parent).as_posix() for path in package.folder.parent.rglob("*")}
    public = {*data, "codebook.xml", "codebook.txt", "report.html", "certificate.json"}
    inside = {"report.html", "sign_off.html", "log.json", "audit.txt", "certificate.json"}
    assert found == {
        "0001",
        "0001/package",
        "0001/internal",
        *(f"0001/package/{name}" for name in public),
        *(f"0001/internal/{name}" for name in inside),
    }


def test_the_certificates_fit_the_files(package, source):
    for folder in (package.public, package.internal):
        assert certify.find_changes(folder, certify.read_certificate(folder).statement) == []
    public = certify.read_certificate(package.public).statement.predicate
    assert (public["records"], public["limits"], public["review"]) == (120, "not stated", "2027-01-31")
    assert public["methods"] == [{"name": "microaggregation", "columns": "income"}]
    inside = certify.read_certificate(package.internal).statement.predicate
    assert inside["input"]["sha256"] == mv.io.sha256_of(source)
    assert all(one["holds"] for one in inside["promises"])
    assert inside["package"]["data.csv"] == mv.io.sha256_of(package.public / "data.csv")


def test_the_codebook_is_sound(package):
    assert find_faults((package.public / "codebook.xml").read_bytes()) == []


def everything_in(folder) -> bytes:
    """All bytes of a folder, unpacked where they are packed in a common way."""
    parts = []
    for path in sorted(folder.rglob("*")):
        raw = path.read_bytes()
        parts.append(path.name.encode() + raw + (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else b""))
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                parts += [packed.read(name) for name in packed.namelist()]
        if path.suffix == ".parquet":
            parts.append(str(pyarrow.parquet.read_table(path).to_pylist()).encode())
    return b"\n".join(parts)


def test_what_is_given_away_holds_nothing_of_the_inside(package, source, release):
    said = everything_in(package.public)
    secrets = [
        "canary",
        "secret-survey",
        "secret-folder",
        release.key.hex,
        mv.io.sha256_of(source),
        release.original.mark,
    ]
    secrets += ["re-identif", "linked", "Discernibility", RISK, "unknown", str(package.folder.parent)]
    assert [secret for secret in secrets if secret.encode() in said] == []
    incomes = people().frame["income"].to_pylist()
    shown = [f"{value:.2f}" for value in (min(incomes), max(incomes)) if f"{value:.2f}".encode() in said]
    assert shown == []
    # the search itself works: the internal folder holds these
    inside = everything_in(package.internal)
    assert release.key.hex.encode() in inside
    assert RISK.encode() in inside


def test_the_external_report_tells_method_loss_and_weights(package):
    page = (package.public / "report.html").read_text()
    assert "<b>microaggregation</b> on income" in page
    assert "Probabilistic information loss" in page
    assert "How to use the weight" in page
    assert "k: 5" not in page
    assert "<script" not in page


def test_settings_and_labels_are_told_where_asked_for(release, evaluation, tmp_path):
    package = write_package(release, tmp_path / "a", evaluation=evaluation, tell_settings=True)
    assert "k: 5" in (package.public / "report.html").read_text()


def test_user_text_is_never_markup(release, evaluation, tmp_path):
    title = "<script>alert(1)</script> & {{ 7 * 7 }}"
    package = write_package(release, tmp_path / "a", evaluation=evaluation, title=title)
    page = (package.public / "report.html").read_text()
    assert "<script>" not in page
    assert "{{ 7 * 7 }}" in page
    assert find_faults((package.public / "codebook.xml").read_bytes()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_the_inside_is_for_its_owner(package):
    assert stat.S_IMODE(package.internal.stat().st_mode) == 0o700
    assert stat.S_IMODE((package.internal / "log.json").stat().st_mode) == 0o600


@pytest.mark.full  # test_run_stages compares the bytes of two runs by default
def test_one_key_gives_the_same_bytes(package, source, evaluation, tmp_path):
    again = released(mv.read(source, **FACTS), seed=KEY)
    second = write_package(
        again, tmp_path / "b", FORMATS, evaluation=evaluation, title="People", review="2027-01-31", date="2026-11-16"
    )
    for path in sorted(package.public.iterdir()):
        assert path.read_bytes() == (second.public / path.name).read_bytes(), path.name


@pytest.mark.parametrize("step", ["_write_data", "_write_public", "_audit", "_write_internal", "_move"])
def test_a_failure_at_any_step_leaves_nothing(release, evaluation, tmp_path, monkeypatch, step):
    done = getattr(writing, step)

    def fail(*given: object) -> None:
        if step != "_move":
            done(*given)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, step, fail)
    with pytest.raises(OSError, match="No space left"):
        write_package(release, tmp_path / "a", evaluation=evaluation)
    assert list(tmp_path.iterdir()) == []


def test_a_fault_that_the_audit_finds_leaves_nothing(release, evaluation, tmp_path, monkeypatch):
    told = Report("People", "2026-11-16", (Text("It was read from secret-survey.parquet."),))
    monkeypatch.setattr(writing, "external_report", lambda *given, **more: told)
    with pytest.raises(BrokenPromise, match=r"report\.html holds 1 word of the source"):
        write_package(release, tmp_path / "a", evaluation=evaluation)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_swept(release, evaluation, tmp_path):
    left = tmp_path / ".microveil-abcdefgh"
    (left / "new" / "a" / "package").mkdir(parents=True)
    (left / "lock").write_text("")
    (left / "new" / "a" / "package" / "data.csv").write_text("income\n1\n")
    write_package(release, tmp_path / "a", evaluation=evaluation)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_package_is_never_changed(release, evaluation, tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(FileProblem, match="is there already"):
        write_package(release, tmp_path / "a", evaluation=evaluation)
    with pytest.raises(FileProblem, match="no folder"):
        write_package(release, tmp_path / "none" / "a", evaluation=evaluation)


def test_a_limit_that_is_not_kept_leaves_nothing(release, tmp_path):
    strict = Scenario("neighbour", ("sex", "region", "income"), thresholds={"risk": 0.01})
    with pytest.raises(OverLimit, match="'neighbour' is not kept"):
        write_package(release, tmp_path / "a", scenarios=[strict])
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_can_be_guessed_leaves_nothing(evaluation, tmp_path):
    with pytest.raises(BadInput, match="can be guessed"):
        write_package(released(seed="1"), tmp_path / "a", evaluation=evaluation)
    assert list(tmp_path.iterdir()) == []


def test_a_key_of_another_run_is_refused(release, evaluation, package):
    other = mv.mask.UncorrelatedNoise(p=0.5).apply(release.original, columns=["income"], seed=KEY)
    with pytest.raises(BadInput, match="key was used"):
        write_package(other, package.folder.parent / "0002", evaluation=evaluation)


@pytest.mark.parametrize(("formats", "told"), [(["cvs"], "csv"), ([], "at least one"), (["csv", "csv"], "each once")])
def test_formats_are_known_and_named_once(release, evaluation, tmp_path, formats, told):
    with pytest.raises((BadInput, BrokenPromise), match=told):
        write_package(release, tmp_path / "a", formats, evaluation=evaluation)


def test_a_format_may_be_named_by_its_ending(release, evaluation, tmp_path):
    package = write_package(release, tmp_path / "a", ["sav", ".csv.gz"], evaluation=evaluation)
    assert package.data == ("data.sav", "data.csv.gz")


def test_the_log_replays_the_data(package, source):
    log = mv.plan.load_log(package.internal / "log.json")
    again = mv.plan.replay(log, mv.plan.read_logged(log, source))
    assert {one.sha256 for one in again.written} == {mv.io.sha256_of(package.public / name) for name in package.data}
    assert re.fullmatch(r"[0-9a-f]{64}", json.loads((package.internal / "log.json").read_text())["key"])


def test_the_external_report_says_where_records_were_left_out():
    data = mv.datasets.make_survey(400, seed=1)
    looked = mv.inspect(data)
    release = looked.plan.run(looked.data, seed=1)
    assert len(release) < 400
    text = render_external(
        ExternalContent(release, ["data.csv"], [("income", "", "continuous")], title="Survey", date="2026-11-16")
    )
    assert "Some records of the original data are in no file" in text
    assert "multiply weight" not in text  # by which who has the file would know the weight of those few
    assert "exactly the original&#39;s, without the records that had been left out before" in text


STATED = ReleasePlan(
    "People #eval(1)",
    "scientific",
    "Asked for by the institute of $labour$.",
    review="2028-06-30",
    signers=("Jane Doe (data protector)", "John Roe"),
)


@pytest.fixture(scope="module")
def with_pdf(release, evaluation, tmp_path_factory):
    pytest.importorskip("typst", reason="the extra pdf is not installed")
    folder = tmp_path_factory.mktemp("printed")
    kept = Scenario("neighbour", ("sex",), thresholds={"risk": 0.2})
    given = {"evaluation": evaluation, "date": "2026-11-16", "scenarios": [kept], "stated": STATED, "pdf": True}
    return [write_package(release, folder / name, **given) for name in ("a", "b")]


@pytest.mark.long
def test_reports_are_pdf_too_where_asked_for_with_the_same_bytes_twice(with_pdf):
    one, two = with_pdf
    for name in ("package/report", "internal/report", "internal/sign_off"):
        first, second = ((made.folder / f"{name}.pdf").read_bytes() for made in (one, two))
        assert first.startswith(b"%PDF")
        assert first == second
        assert (one.folder / f"{name}.html").is_file()
    assert "report.pdf" in certify.read_certificate(one.public).statement.subjects
    assert certify.read_certificate(one.public).statement.predicate["software"]["typst"]
    assert not mv.package.audit(one.public).broken
    assert "no file that an audit knows" not in str(mv.package.audit(one.public))


def test_the_pdf_that_is_given_away_holds_nothing_of_the_inside(with_pdf, release):
    reader = pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    told = {
        place: " ".join(
            page.get_textpage().get_text_range() for page in reader.PdfDocument(with_pdf[0].folder / f"{place}.pdf")
        )
        for place in ("package/report", "internal/report")
    }
    secrets = (
        "canary",
        "secret-survey",
        release.key.hex,
        release.original.mark,
        "linked",
        "institute",
        "Jane Doe",
        RISK,
    )
    assert [secret for secret in secrets if secret in told["package/report"]] == []
    assert RISK in told["internal/report"]  # the search itself works


def test_without_the_extra_nothing_is_written(release, evaluation, tmp_path, monkeypatch):
    monkeypatch.setattr(typesetting, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="needs typst"):
        write_package(release, tmp_path / "a", evaluation=evaluation, pdf=True)
    assert list(tmp_path.iterdir()) == []


def test_the_page_to_sign_names_decision_people_dates_and_hashes(with_pdf, source):
    made, _ = with_pdf
    page = unescape((made.internal / "sign_off.html").read_text())
    for said in (
        "The limits stated are kept",
        "scientific: researchers have the files under a contract",
        "Asked for by the institute of $labour$.",
        "secret-survey.parquet: 120 records, 6 columns; 120 records in the release",
        "2028-06-30",
        "<b>Jane Doe (data protector)</b>",
        "<b>John Roe</b>",
        mv.io.sha256_of(source),
        *(mv.io.sha256_of(path) for path in made.public.iterdir()),
        '<td class="name">neighbour</td><td data-what="the intruder knows:">sex</td><td data-what="tolerated:">',
        '<td data-what="tolerated:">0 % of the records with a risk above 0.2</td><td data-what="verdict:">is kept: ',
        "Probabilistic information loss",
        "Exposed to one who",
        "earlier releases of the same data</th><td>not stated</td>",
    ):
        assert said in page, said


def test_what_nobody_stated_is_said_and_not_hidden(package):
    page = (package.internal / "sign_off.html").read_text()
    assert "which has another hash from then on" in page  # a signature changes the file that holds it
    for name in ("need", "signers", "earlier releases of the same data"):
        assert f"<th>{name}</th><td>not stated</td>" in page
    assert "Scenarios: not stated." in page
    assert page.count("name and function: not stated") == 2


def test_the_internal_certificate_holds_all_verdicts_and_the_software_by_its_hash(with_pdf):
    made, _ = with_pdf
    raw = (made.internal / "certificate.json").read_text()
    said = json.loads(raw, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["predicate"]
    assert said["verdict"]["state"] in ("kept", "doubtful")
    assert said["verdict"]["attacked"]
    assert said["scenarios"] == [{"name": "neighbour", "keys": ["sex"], "thresholds": {"risk": 0.2}}]
    assert said["release"]["signers"] == ["Jane Doe (data protector)", "John Roe"]
    by_name = {one["name"]: one for one in said["installed"]}
    numpy = distribution("numpy")
    assert by_name["numpy"]["version"] == numpy.version
    assert by_name["numpy"]["sha256"] == sha256(numpy.read_text("RECORD").encode()).hexdigest()
    assert {"microveil", "llvmlite", "typst"} <= set(by_name)
    public = certify.read_certificate(made.public).statement.predicate
    assert public["kind"] == "scientific"
    assert "installed" not in public
    assert not {"need", "signers", "scenarios", "verdict"} & set(public)

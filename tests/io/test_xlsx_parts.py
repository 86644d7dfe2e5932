"""Parts of a workbook, packed by hand as the standard (ECMA-376) describes them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from microveil.io.xlsx_parts import sheet_xml

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"
LINK = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


@pytest.mark.parametrize("kind", [OFFICE, STRICT])
@pytest.mark.parametrize("second", ["sheets/b.xml", "/xl/sheets/b.xml"])
def test_a_sheet_is_found_by_its_name(tmp_path: Path, kind: str, second: str) -> None:
    """The order of the sheets, their numbers and the names of their parts have nothing to do with one another."""
    book = (
        f'<w:workbook xmlns:w="http://any" xmlns:r="{kind}"><w:sheets>'
        '<w:sheet name="one" sheetId="7" r:id="rId2"/><w:sheet name="two" sheetId="1" r:id="rId1"/>'
        "</w:sheets></w:workbook>"
    )
    with zipfile.ZipFile(tmp_path / "in.xlsx", "w") as parts:
        parts.writestr(
            "_rels/.rels",
            LINK.format(
                '<Relationship Id="rId9" Type="http://x/extended-properties" Target="docProps/app.xml"/>'
                f'<Relationship Id="rId1" Type="{kind}/officeDocument" Target="xl/book.xml"/>'
            ),
        )
        parts.writestr("xl/book.xml", book)
        parts.writestr(
            "xl/_rels/book.xml.rels",
            LINK.format(
                f'<Relationship Id="rId1" Type="{kind}/worksheet" Target="sheets/a.xml"/>'
                f'<Relationship Id="rId2" Type="{kind}/worksheet" Target="{second}"/>'
            ),
        )
        parts.writestr("xl/sheets/a.xml", "<a/>")
        parts.writestr("xl/sheets/b.xml", "<b/>")
    assert sheet_xml(tmp_path / "in.xlsx", "one") == b"<b/>"
    assert sheet_xml(tmp_path / "in.xlsx", "two") == b"<a/>"

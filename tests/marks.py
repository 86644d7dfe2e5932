"""Marks shared by tests."""

import pytest

# small files on which a method rightly warns that something came back as it was: these tests are about other things
ANY_FILE = pytest.mark.filterwarnings("ignore::microveil.core.errors.NothingHidden")

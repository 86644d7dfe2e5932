"""Linear algebra on records that are not all in memory: the rows of the kernels, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.matrices import with_constant
from microveil.data.table import Table, Values
from microveil.kernels.draws.noise import exact_noise
from microveil.kernels.linalg.bases import orthonormal_basis, project_off
from microveil.kernels.moments.central import mean_and_covariance
from microveil.run.afar import Afar, beside, matrix, ones, standardised
from microveil.run.engine import LocalEngine
from microveil.run.job import Job

N = 90
DRAW = np.random.default_rng(3)
X = np.exp(DRAW.normal(size=(N, 3))) * [1.0, 1e3, 1e-3] + [0.0, 1e6, 0.0]
KEPT = Table(
    {
        "sex": Values("nominal", DRAW.integers(-1, 2, N), ("a", "b", "never")),
        "age": Values("continuous", DRAW.normal(size=N)),
    },
    N,
)


def records(table: Table, given: Table | None = None) -> Afar:
    kept = Table({}, table.rows) if given is None else given
    return Afar(table, Job(Streams(Key.of(1)), kept, table, engine=LocalEngine(2, 7)))


def test_bases_projections_and_exact_noise_are_those_of_the_kernels() -> None:
    table = Table.of_matrix(X)
    afar = records(table, KEPT)
    W, whole = beside(ones, afar.kept_columns()), with_constant(KEPT, N)
    assert W(table, afar.job).tobytes() == whole.tobytes()
    Q, kept = afar.basis(W)
    basis = orthonormal_basis(whole)
    assert (kept, Q(table, afar.job).tobytes()) == (basis.shape[1], basis.tobytes())
    mean, V = mean_and_covariance(X)
    assert [side.tobytes() for side in afar.moments(matrix)] == [mean.tobytes(), V.tobytes()]
    residual = afar.project_off(standardised(matrix, mean, np.sqrt(np.diag(V))), Q)
    expected = project_off((X - mean) / np.sqrt(np.diag(V)), basis)
    assert residual(table, afar.job).tobytes() == expected.tobytes()
    noise = afar.exact_noise(beside(ones, standardised(matrix, mean)), V)
    centred = np.column_stack([np.ones(N), X - mean])
    assert noise(table, afar.job).tobytes() == exact_noise(centred, V, afar.job.streams).tobytes()


def test_columns_that_follow_from_others_are_refused() -> None:
    table = Table.of_matrix(np.column_stack([X, X.sum(axis=1)]))
    with pytest.raises(BadInput, match=r"follow from others nearly exactly .* run with engine='memory'"):
        records(table).basis(beside(ones, matrix))


def test_missing_values_are_refused() -> None:
    with pytest.raises(BadInput, match="need finite values"):
        records(Table.of_matrix(np.array([[1.0], [np.nan]]))).means(matrix)

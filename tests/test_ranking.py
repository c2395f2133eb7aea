"""What a file's path and its other chunks say about a chunk."""

from __future__ import annotations

import numpy as np
import pytest

from tobler_pack.evidence.ranking import coherence, noise_share, noise_shares

ORDINARY = [
    "app.py",
    "src/app.py",
    "src/contest.py",
    "src/latest/app.py",
    "src/attest.go",
    "src/testimony.rs",
    "src/inspect/app.py",
    "src/specific.rb",
    "lib/compatible.py",
    "lib/legacy_codes/app.py",
    "src/sample.py",
    "src/example.py",
    "src/benchmarking/app.py",
    "src/index.ts",
    "src/world.d.py",
    "src/fixture.py",
    "src/init.py",
    "Testify.java",
    "src/Contest.java",
]


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary_code_keeps_its_standing(path: str) -> None:
    assert noise_share(path) == 1.0


@pytest.mark.parametrize(
    "path",
    [
        "tests/app.py",
        "test/app.rb",
        "src/test/java/App.java",
        "web/__tests__/app.js",
        "spec/models/user.rb",
        "internal/testdata/app.go",
        "tests/fixtures/app.py",
        "src/test_app.py",
        "pkg/app_test.go",
        "lib/user_spec.rb",
        "conftest.py",
        "src/app.test.ts",
        "src/app.spec.tsx",
        "src/app.test.mjs",
        "src/AppTest.java",
        "src/AppTests.cs",
        "src/AppSpec.scala",
        "src/AppSuite.scala",
        "src/compat/app.py",
        "src/_compat.py",
        "src/legacy/app.php",
        "src/deprecated.py",
        "examples/app.py",
        "docs_src/app.py",
        "doc_src/app.py",
        "samples/app.py",
        "benchmarks/app.py",
        "bench/app.rs",
        "src/__init__.py",
        "src/package-info.java",
        "src/index.d.ts",
        "src/app.pyi",
    ],
)
def test_noise_keeps_a_part(path: str) -> None:
    assert 0.0 < noise_share(path) < 1.0


def test_noise_of_two_kinds_keeps_less() -> None:
    assert noise_share("tests/__init__.py") < min(noise_share("tests/app.py"), noise_share("src/__init__.py"))


def test_the_same_kind_twice_counts_once() -> None:
    assert noise_share("tests/test_app.py") == noise_share("tests/app.py") == noise_share("test_app.py")


def test_shares_stand_in_the_order_of_the_paths() -> None:
    paths = ["src/app.py", "tests/app.py", "src/app.py", "src/app.pyi"]
    assert noise_shares(paths).tolist() == [noise_share(path) for path in paths]
    assert noise_shares([]).shape == (0,)


@pytest.mark.parametrize(
    ("standing", "chunk_file", "files", "expected"),
    [
        pytest.param([1.0, 2.0, 4.0], [0, 0, 1], 2, [3.0, 3.0, 4.0], id="the sum of a file's chunks"),
        pytest.param([1.0, -5.0, 4.0], [0, 0, 1], 2, [1.0, 1.0, 4.0], id="what is below the mean takes nothing away"),
        pytest.param([-1.0, -2.0], [0, 1], 2, [0.0, 0.0], id="nothing stands out"),
        pytest.param([2.0], [2], 5, [2.0], id="files without chunks"),
        pytest.param([], [], 0, [], id="nothing"),
    ],
)
def test_coherence(standing: list[float], chunk_file: list[int], files: int, expected: list[float]) -> None:
    found = coherence(np.array(standing), np.array(chunk_file, dtype=np.int32), files)
    assert found.tolist() == expected

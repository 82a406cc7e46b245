"""What an index of packages, citations and recipes say about the project agrees."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tools.release.index_page import index_page
from tools.release.install_lines import pages, requirement, with_requirement

from cranfield.errors import pip_line

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
README = (ROOT / "README.md").read_text("utf-8")
FOR_DEVELOPERS = {"docs", "lint", "mutants", "peers", "release", "test", "test-library"}


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_links_of_an_index_page_lead_to_the_files_of_this_version() -> None:
    page = index_page(
        "[Docs](docs/README.md) ![A report](docs/a.png) [uv](https://uv.example/)", "https://host/us/it/", "1.2"
    )
    assert page == (
        "[Docs](https://host/us/it/blob/v1.2/docs/README.md) ![A report](https://host/us/it/raw/v1.2/docs/a.png) "
        "[uv](https://uv.example/)"
    )


def test_no_link_of_readme_is_relative_on_an_index_page() -> None:
    page = index_page(README, "https://host/us/it", "1.2")
    assert len(links(page)) == len(links(README)) > 10
    assert all(target.startswith("https://") for target in links(page))


def test_without_a_repository_links_to_files_become_text() -> None:
    page = index_page("See [the docs](docs/README.md).\n![A report](docs/a.png)", "", "1.2")
    assert page == "See the docs.\n"
    assert not [target for target in links(index_page(README, "", "1.2")) if not target.startswith("https://")]


def test_every_page_says_how_to_install_as_decided_in_one_place() -> None:
    assert [
        page.name for page in pages() if with_requirement(text := page.read_text("utf-8"), requirement()) != text
    ] == []
    assert sum("pip install '" in page.read_text("utf-8") for page in pages()) > 5


def test_the_way_to_install_changes_with_the_decision() -> None:
    sources = "`pip install '.[web]'`, `pip install .`\npip install --upgrade '.[web,postgres]'\nuvx --from '.[demo]' x"
    index = sources.replace("'.[", "'cranfield[").replace("install .", "install cranfield")
    assert with_requirement(sources, "cranfield") == index
    assert with_requirement(index, ".") == sources


def test_errors_hint_at_extras_in_the_same_words() -> None:
    hint = pip_line("web")
    assert with_requirement("pip install '.[web]'", "cranfield") == hint
    written = [path for path in (ROOT / "src").rglob("*.py") if "pip install 'cranfield" in path.read_text("utf-8")]
    assert [path.name for path in written] == ["errors.py"]


def test_other_packages_and_paths_are_left_alone() -> None:
    line = 'pip install ./wheels/cranfield.whl cranfield-plugins "$(echo dist/*.whl)[all]" pip install .hidden'
    assert with_requirement(line, "cranfield") == line


def test_the_page_on_installation_lists_every_extra_of_users() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/howto/install.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS)


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == version
    assert f"version {version}." in README
    assert f"## {version} " in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f'version: "{version}"' in (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")


def test_the_recipe_requires_what_the_project_requires() -> None:
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")
    needed = {re.sub(r"[\[>].*", "", name): name for name in PROJECT["dependencies"]}
    for name, bound in needed.items():
        conda = {"pyarrow": "pyarrow-core"}.get(name, name)
        assert f"- {bound.replace(name, conda, 1).replace('>=', ' >=')}\n" in recipe

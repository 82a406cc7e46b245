"""README as an index of packages shows it, where links between files lead nowhere."""

from __future__ import annotations

import re

LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)\s]+)\)")


def index_page(text: str, repository: str, version: str) -> str:
    """The page, with links to the files of this version in the repository.

    As long as there is no repository, links to files become text, and pictures are left out.
    """

    def absolute(link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        if re.match(r"[a-z]+:|#", target):
            return link[0]
        if not repository:
            return "" if mark else words
        return f"{mark}[{words}]({repository.removesuffix('/')}/{'raw' if mark else 'blob'}/v{version}/{target})"

    return LINK.sub(absolute, text)

"""Show a definition of Markdown's that defines nothing as it was typed: `[Q]: query`, `[答案]: 因为...`.

A parser takes such a line out of the text before anything is rendered, since another line may refer to it
(`[paper][1]`, and below `[1]: https://...`). What nothing refers to, and what is no address, may be the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from re import Match
from typing import Any

from mistune import BlockState
from nbconvert.filters.markdown_mistune import MarkdownWithMath, MathBlockParser

from grader.feedback.typed_tags import TypedTags


class _Definitions(dict[str, dict[str, Any]]):
    """The addresses that a text defines, by their labels, and the labels that it asks for.

    Args:
        asked_for: Gets these.
    """

    def __init__(self, asked_for: set[str]):
        super().__init__()
        self.asked_for = asked_for

    def get(self, label: str, default: Any = None) -> Any:
        """Return what is defined, and note that it was asked for."""
        if label in self:
            self.asked_for.add(label)
        return super().get(label, default)


class _Blocks(MathBlockParser):
    """Reads blocks, and keeps what stands in a definition.

    Args:
        is_target: Returns whether a definition may have this address.
    """

    def __init__(self, is_target: Callable[[str], bool]):
        super().__init__()
        self.is_target = is_target

    def parse_ref_link(self, m: Match[str], state: BlockState) -> int | None:
        """Take up a definition; a block of its own, so that the next line may be one as well."""
        known, before = state.env["ref_links"], state.last_token()
        number = len(known)
        end: int | None = super().parse_ref_link(m, state)
        if not end or (before and before["type"] == "paragraph"):
            return end
        label = None
        if len(known) > number:
            label, found = known.popitem()
            # Within an entry of a list of terms a parser keeps a list of its own, and nobody asks for it.
            if isinstance(known, _Definitions) and self.is_target(found["url"]):
                known[label] = found
            else:
                label = None
        state.append_token({"type": "definition", "raw": state.src[m.start() : end], "attrs": {"label": label}})
        return end


class _Markdown(MarkdownWithMath):
    """Reads all lines of a text before any block of it is rendered: only then it is known which definitions serve."""

    def render_state(self, state: BlockState) -> Any:
        """Return what is rendered."""
        renderer: Any = self.renderer
        return renderer(list(self._iter_render(state.tokens, state)), state)


def rendered(text: str, renderer: TypedTags) -> str:
    """Return Markdown as HTML.

    Args:
        text: Of a student's.
        renderer: Writes it.
    """
    markdown = _Markdown(renderer, block=_Blocks(renderer.is_target))
    state = markdown.block.state_cls()
    state.env["ref_links"] = _Definitions(renderer.asked_for)
    return str(markdown.parse(text, state)[0])

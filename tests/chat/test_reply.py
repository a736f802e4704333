"""What of a reply is the cell, and what of it is shown as it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost.chat.reply import Unfenced, code_of, fence_of

MARKDOWN = "const text = `\n```js\nx\n```\n`;"


def shown(reply: str, size: int) -> str:
    made: list[str] = []
    unfenced = Unfenced(made.append)
    for at in range(0, len(reply), size):
        unfenced.feed(reply[at : at + size])
    unfenced.end()
    return "".join(made)


@pytest.mark.spec("A11.1")
@pytest.mark.parametrize(
    ("reply", "language", "code", "noted"),
    [
        ("x = 1\nx", "python", "x = 1\nx", False),
        ("```python\nx = 1\nx\n```", "python", "x = 1\nx", False),
        ("\n```py\r\nx\r\n```\r\n\n", "python", "x", False),
        ("~~~\nx\n~~~", "javascript", "x", False),
        ("````ts\nx\n````", "typescript", "x", False),
        ("```\nx", "python", "x", False),
        ("x\n```", "python", "x", False),
        (f"```ts\n{MARKDOWN}\n```", "typescript", MARKDOWN, False),
        ("Here it is:\n```python\nx\n```\nDone.", "python", "x", True),
        ("```text\nplan\n```\n```python\nx\n```", "python", "x", True),
        ("```python\nx\n```\n```\n42\n```", "python", "x", True),
        ("```js\nx\n```", "python", "x", False),
        ("<think>\n```python\nno\n```\n</think>\n```python\nx\n```", "python", "x", True),
        ("<think>\nnever ends", "python", "", True),
        ('[Code Action executed]\nx\n\n[RuntimeResult]\n{"ok":true}', "python", "x", True),
        ("    x = 1\n    x", "python", "    x = 1\n    x", False),
        ("s = '\ud800'", "python", "s = '\ufffd'", False),
        ("", "python", "", False),
        ("```\n```", "python", "", False),
    ],
)
def test_the_cell_of_a_reply(reply: str, language: str, code: str, noted: bool) -> None:
    found, notes = code_of(reply, language)
    assert found == code
    assert bool(notes) == noted


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("x = 1\nx", "x = 1\nx"),
        ("```python\nx = 1\nx\n```", "x = 1\nx\n"),
        ("\n\n```python\nx\n\n```\n  \n", "x\n\n"),
        (f"```ts\n{MARKDOWN}\n```\n", f"{MARKDOWN}\n"),
        ("`a`\n`b`", "`a`\n`b`"),
        ("Look:\n```\nx\n```", "Look:\n```\nx\n```"),
    ],
)
def test_fences_are_not_shown(reply: str, wanted: str) -> None:
    assert {shown(reply, size) for size in (1, 2, 3, 1000)} == {wanted}


@given(st.lists(st.sampled_from(["```", "~~~", "`", "py", "x", " ", "\n", "\n", "<think>", "</think>"]), max_size=40))
def test_what_is_shown_does_not_depend_on_the_pieces(parts: list[str]) -> None:
    reply = "".join(parts)
    whole = shown(reply, 1000)
    assert shown(reply, 1) == shown(reply, 3) == whole
    # Nothing but fences and empty lines is kept back.
    lines = [line for line in reply.split("\n") if line.strip() and not fence_of(line)[0]]
    assert [line for line in whole.split("\n") if line.strip() and not fence_of(line)[0]] == lines
    code_of(reply, "python")

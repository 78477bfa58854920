"""Strings of a notebook's JSON text: where each character of a cell's source stands, so that an edit leaves the rest alone."""

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_DEEPEST = 100


def source_offsets(text: str) -> dict[int, list[int]]:
    """By the index of a cell, the offset in `text` of each character of its source (of its last character, where it is written
    as an escape, the offset of the escape). Cells whose JSON has an unusual shape are left out."""
    found: dict[int, list[int]] = {}
    for start, kind, path in _strings(text):
        if kind == "value" and len(path) >= 3 and path[0] == "cells" and path[2] == "source" and len(path) <= 4:
            token = _STRING.match(text, start)
            if token is not None and isinstance(path[1], int):
                found.setdefault(path[1], []).extend(_offsets(token[0], start))
    return found


def _offsets(token: str, start: int) -> list[int]:
    made, at = [], 1
    while at < len(token) - 1:
        piece = _ESCAPE.match(token, at, len(token) - 1)
        if piece is None:
            break
        made += [start + at] * len(json.loads(f'"{piece[0]}"', strict=False))
        at = piece.end()
    return made


def _strings(text: str) -> list[tuple[int, str, tuple[str | int, ...]]]:
    """All strings of a JSON text that is known to be valid: the offset, "key" or "value", and the path of keys and indices."""
    found: list[tuple[int, str, tuple[str | int, ...]]] = []
    stack: list[list[str | int]] = []  # of each open container: its kind, and the present key or index
    at, expects_key = 0, False
    while at < len(text) and len(stack) <= _DEEPEST:
        at = _end(_SPACE, text, at)
        if at >= len(text):
            break
        match text[at]:
            case "{":
                stack.append(["object", ""])
                expects_key, at = True, at + 1
            case "[":
                stack.append(["array", 0])
                expects_key, at = False, at + 1
            case "}" | "]":
                stack.pop()
                expects_key, at = False, at + 1
            case ",":
                last = stack[-1]
                expects_key, at = last[0] == "object", at + 1
                if isinstance(last[1], int):
                    last[1] += 1
            case '"':
                end = _end(_STRING, text, at)
                if expects_key:
                    stack[-1][1] = json.loads(text[at:end], strict=False)
                else:
                    found.append((at, "value", tuple(each[1] for each in stack)))
                expects_key, at = False, end
            case _:
                at += 1
    return found


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return len(text) if match is None else match.end()

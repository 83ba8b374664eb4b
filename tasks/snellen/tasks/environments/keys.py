"""Translate key names that agents use into Playwright's."""

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

_MODIFIERS = {
    "ctrl": "Control",
    "control": "Control",
    "ctl": "Control",
    "alt": "Alt",
    "option": "Alt",
    "altgr": "AltGraph",
    "shift": "Shift",
    "meta": "Meta",
    "super": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "controlormeta": "Control",
}
_NAMED = {
    "enter": "Enter",
    "return": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "tab": "Tab",
    "space": " ",
    "spacebar": " ",
    "backspace": "Backspace",
    "back_space": "Backspace",
    "del": "Delete",
    "delete": "Delete",
    "insert": "Insert",
    "ins": "Insert",
    "home": "Home",
    "end": "End",
    "pageup": "PageUp",
    "page_up": "PageUp",
    "pgup": "PageUp",
    "prior": "PageUp",
    "pagedown": "PageDown",
    "page_down": "PageDown",
    "pgdn": "PageDown",
    "pgdown": "PageDown",
    "next": "PageDown",
    "numlock": "NumLock",
    "scrolllock": "ScrollLock",
    "pause": "Pause",
    "printscreen": "PrintScreen",
    "prtsc": "PrintScreen",
    "prtscr": "PrintScreen",
    "prntscrn": "PrintScreen",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "caps_lock": "CapsLock",
    "capslock": "CapsLock",
    "menu": "ContextMenu",
    "contextmenu": "ContextMenu",
}
# As X names the keys of characters, which xdotool and its users write.
_CHARACTERS = {
    "plus": "+",
    "minus": "-",
    "equal": "=",
    "underscore": "_",
    "comma": ",",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotedbl": '"',
    "grave": "`",
    "asciitilde": "~",
    "exclam": "!",
    "at": "@",
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "asciicircum": "^",
    "ampersand": "&",
    "asterisk": "*",
    "parenleft": "(",
    "parenright": ")",
    "bracketleft": "[",
    "bracketright": "]",
    "braceleft": "{",
    "braceright": "}",
    "less": "<",
    "greater": ">",
    "question": "?",
    "bar": "|",
    # As pyautogui names those of the number pad.
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "decimal": ".",
}
_WHITE = {"\n": "Enter", "\r": "Enter", "\t": "Tab"}
_SIDE = re.compile(r"^(?:left|right|[lr]_)|(?:_l|_r|left|right)$")
_PAD = re.compile(r"^(?:kp_|num(?:pad)?_?(?=(?:.|enter|add|subtract|multiply|divide|decimal)$))")
_FUNCTION = re.compile(r"f(?:[1-9]|1\d|2[0-4])")
_PLUS = re.compile(r"(?<=[^\s+])\s*\+\s*(?=\S)")


def key_of(name: str) -> str | None:
    """Return the key that a name means, as Playwright calls it; None for none.

    >>> key_of("Return"), key_of("Shift_L"), key_of("KP_0"), key_of("plus"), key_of("hyper")
    ('Enter', 'Shift', '0', '+', None)
    """
    name = normalize("NFC", name)
    if len(name) == 1:
        return name if name.isprintable() else _WHITE.get(name)
    plain = name.strip().lower().replace("-", "_")
    plain = _PAD.sub("", plain)
    plain = plain.removeprefix("arrow").removesuffix("arrow").strip("_") or plain
    if len(plain) == 1:
        return plain
    if _FUNCTION.fullmatch(plain):
        return plain.upper()
    bare = _SIDE.sub("", plain).strip("_")
    return (
        _MODIFIERS.get(plain)
        or _NAMED.get(plain)
        or _NAMED.get(plain.replace("_", ""))
        or _CHARACTERS.get(plain)
        or _MODIFIERS.get(bare)
    )


def combinations(value: str | Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the key combinations that a text or a list names, in order, as they were written.

    `+` joins keys, and so does a hyphen after a modifier. Between spaces, and in a list, stand
    combinations of their own, unless what comes before is only modifiers: `ctrl c` is one. A name
    of two words, such as `Page Down`, is one key.

    >>> combinations("ctrl+a"), combinations("ctrl c"), combinations(["ctrl", "c"])
    ([['ctrl', 'a']], [['ctrl', 'c']], [['ctrl', 'c']])
    >>> combinations("Tab Tab"), combinations("ctrl + Page Down")
    ([['Tab'], ['Tab']], [['ctrl', 'Page_Down']])
    """
    if not isinstance(value, str):
        return _grouped(keys for each in value for keys in combinations(each))
    if len(value) == 1:
        return [[value]]
    words: list[str] = []
    for word in _PLUS.sub("+", value).split():
        if words and _is_one_key(words[-1].rpartition("+")[2], word.partition("+")[0]):
            words[-1] += f"_{word}"
        else:
            words.append(word)
    return _grouped(map(_joined, words))


def _grouped(parts: Iterable[Sequence[str]]) -> Sequence[Sequence[str]]:
    found: list[list[str]] = []
    held: list[str] = []
    for part in parts:
        held += part
        if not all(map(_is_modifier, held)):
            found.append(held)
            held = []
    return [*found, held] if held else found


def _is_modifier(name: str) -> bool:
    return len(name) > 1 and key_of(name) in _MODIFIERS.values()


def _is_one_key(first: str, second: str) -> bool:
    """Whether two words are the name of one key, such as `caps lock` or `left shift`."""
    if not first or not second or key_of(f"{first}_{second}") is None:
        return False
    sided = first.lower() in ("left", "right") and _is_modifier(second)
    return sided or key_of(first) is None or key_of(second) is None


def _joined(word: str) -> list[str]:
    if word == "+":
        return ["+"]
    if word.endswith("++"):
        return [*_joined(word[:-2]), "+"]
    head, hyphen, rest = word.partition("-")
    if hyphen and rest and _is_modifier(head):
        return [head, *_joined(rest)]
    return [part for part in word.split("+") if part]

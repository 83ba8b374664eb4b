"""Where an answer stands in what a model wrote: the stage before points and actions are read.

Not answered is what stands in a thought, a comment or a quotation, and what its own sentence takes
back: a negation, a question, an example, a size, a place of the past. Readers of every vocabulary
ask here, so that none has rules of its own.
"""

import re

_LOOK_AROUND = 160

# ---- asides: they are blanked

_ASIDE = re.compile(
    r"<(?P<tag>[\w:]{0,20}(?:th(?:ink|ought)|reason|refle|analy|scratch|plan|observ|rational"
    r"|deliberat|monolog|memor|notes|draft|descri|critique|explan)[\w:]{0,12})>"
    r".*?(?:</(?P=tag)>|\Z)"
    r"|<!--.*?(?:-->|\Z)|/\*.*?(?:\*/|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# A mark at the start of a line is a heading where a colon or another mark follows it.
_COMMENT = re.compile(
    r"^[ \t]*(?:#(?!#|[^\n:]{0,30}:)|//)[^\n]*|(?<=[)\],;}\d])[ \t]+(?:#|//)[ \t]?[^\n]*"
    r"|(?<=[),;}\]])(?:#|//)[^\n]*",
    re.MULTILINE,
)
_CODE_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_FENCE = re.compile(r"```[a-z]{0,12}[ \t]*+\n(.*?)(?:```|\Z)", re.DOTALL)
_REPORTED = re.compile(
    r"\b(?:says?|said|reads?|shows?|displays?|contains?|label(?:l?ed)?|titled?|named|called|text"
    r"|typed?|writes?|wrote|prints?|printed|echo|placeholder|caption|heading|tooltip|quotes?)"
    r"[ \t]{0,2}(?:is|was)?[ \t:]{1,3}"
    r"(?:\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|`[^`\n]*`|'[^'\n]*')",
    re.IGNORECASE,
)
# A text that is given to a call which names no place.
_PRINTED = re.compile(
    r"\b(?!\w*(?:click|tap|point|box|coord|answer|pos|loc|at|rect)\w*\()[A-Za-z_]\w{0,40}"
    r"\(\s{0,4}(?:\w{1,20}\s?=\s?)?[\"'][^\n]*?[\"']\s{0,4}\)",
    re.IGNORECASE,
)

# ---- sentences: what they take back

_SMALL = (
    r"(?:[ \t]+(?:a|all|an|any|anything|at|be|being|button|calls?|choose|clicks?|clicking|do"
    r"|appears?|element|exists?"
    r"|find|go|in|is|it|icon|item|located|location|me|my|on|place|point|position|press|pressing"
    r"|run|see|should|tap|tapping|target|that|the|there|this|to|use|using|visible|want|was|with"
    r"|you)\b){0,6}"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|nothing|no|none|cannot|avoid(?:ing)?|without|neither|nor|rather than|than"
    r"|instead of|unable|refuse|fail(?:ed|s)?|nowhere|except|unlike|ignore|ignoring|excluding"
    r"|(?:thought|considered?|considering|assumed|guessed|tried|suspected)(?:[ \t]+of)?"
    r"|(?:old|previous|former|earlier|last|wrong|other)[ \t]+"
    r"(?:places?|positions?|locations?|points?|spots?|coordinates?|clicks?|one|attempt|guess))|n['\u2019]t)"
    + _SMALL
    + r"[\s:]{0,4}\Z",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:\be\.g\.|\bi\.e\.|\bfor (?:example|instance)\b|\bsuch as\b|\bexamples?\b)[^.\n()]{0,40}\Z"
    r"|(?:\A|[.!?\n])[ \t]*(?:please )?(?:return|respond|output|provide|reply|write)\b(?!\s*[:=])"
    r"[^.\n]{0,80}\Z",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"\b(?:resolution|size|dimensions?|width and height)\b(?: of (?:\w+ ){1,3})?"
    r"[ \t]*(?:is|are|was|of|:|=)?[ \t:=]*\Z"
    r"|(?:\A|[.!?\n,][ \t]*)(?:the |this )?(?:image|screen|screenshot|display|viewport|page|window)"
    r" (?:is|measures|has)[ \t]*\Z",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:says?|said|reads|shows?|displays?|contains?|label(?:l?ed)?|titled|typed|prints?)"
    r"[ \t:]{0,3}\Z",
    re.IGNORECASE,
)
_CALLED = re.compile(r"[A-Za-z_][\w.]{0,60}\(?\Z")
_BEFORE = (_DENIED, _EXAMPLE, _SIZE, _SAYS)
_AFTER = re.compile(
    r"[\s*_`\"')\]}]{0,6}(?:"
    r"(?:is|was|are|would be|seems|looks)(?:[ \t]+not\b|n['\u2019]t\b|[ \t]+(?:\w+ly[ \t]+)?"
    r"(?:wrong|incorrect|false|an? (?:example|distractor|mistake)|the (?:format|example|size"
    r"|resolution)))"
    r"|[^.!?\n,;()]{0,40}\b(?:would|could) be the (?:format|example)"
    r"|(?:pixels? )?(?:screen|image|screenshot|display|viewport|resolution)\b"
    r"(?! ?(?:coord|space|pos|point|pixel))"
    r"|(?:failed|did|does|had no)\b|(?:before|earlier|previously|last time|already)\b"
    r"|[^.!?\n;]{0,80}\?(?=[\s\"')*]|\Z))",
    re.IGNORECASE,
)


def without_asides(text: str) -> str:
    """Return a text of the same length, its thoughts and the lines that are comments blanked."""
    if "<" in text or "/*" in text:
        text = _ASIDE.sub(_blank, text)
    return _CODE_COMMENT.sub(_blank, text) if "#" in text else text


def without_quotations(text: str) -> str:
    r"""Return a text of the same length, its thoughts, comments and quotations blanked.

    >>> without_quotations("# was (1, 2)\n(3, 4)").strip()
    '(3, 4)'
    """
    text = _FENCE.sub(lambda found: without_asides(found[0]), text) if "```" in text else text
    text = _ASIDE.sub(_blank, text)
    for pattern in (_COMMENT, _REPORTED, _PRINTED):
        text = pattern.sub(_blank, text)
    return text


def is_answered(text: str, start: int, end: int) -> bool:
    """Whether its sentence puts forward what stands at these indexes.

    >>> is_answered("Not at (1, 2).", 7, 13), is_answered("It is at (1, 2).", 9, 15)
    (False, True)
    """
    before = text[max(0, start - _LOOK_AROUND) : start]
    if before.endswith("(") or text.startswith("(", start):
        # The name of a call is no word of its sentence.
        before = _CALLED.sub("", before)
    before = before.rstrip("([{<*_`\"'")
    if any(pattern.search(before) for pattern in _BEFORE):
        return False
    return _AFTER.match(text, end, end + _LOOK_AROUND) is None


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])

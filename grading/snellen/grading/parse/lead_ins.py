r"""What model adapters cut from an answer before it is scored, by the name of what they do.

| function | used by |
| --- | --- |
| `meta_description` | VisualWebBench openai, llava and qwen_vl adapters: web_caption |
| `after_first_colon` | VisualWebBench: element_ocr in all five adapters, web_caption in gemini, webqa in qwen_vl; ScreenSuite: as qwen_vl, for every model |
| `fork_meta_description`, `fork_after_first_colon` | the fork muyishen2040/VisualWebBench, qwen_hf adapter: web_caption; webqa and element_ocr |
| `strip_quotes` | `after_first_colon`, and our hint-text parser |
| `placeholder_prefix` | our hint-text parser (WebRSSBench publishes none) |

The claude adapter also names "meta_generate" for the colon rule; no task has that name, so its
captions stay as they are.
"""  # noqa: E501  # a table row can't be broken

import re

_TAG = '<meta name="description" content="'
_ANY_CASE_TAG = re.compile(re.escape(_TAG), re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\s*+[*_`\"']*+(?:placeholder|hint)(?:\s++text)?\s*+[*_`\"']*+\s*+[:\uff1a][*_`]*+",
    re.IGNORECASE,
)


def meta_description(text: str) -> str:
    """Take the content of the first meta-description tag; keep the text where there is none.

    The tag must be written exactly as the prompt shows it, `<meta name="description"
    content="...">`, and end on its line; the content reaches to the line's last `">`, so a second
    tag on the line stays in it.

    Source: VisualWebBench model_adapters/openai_adapter.py: a greedy expression without flags.

    >>> meta_description('Sure: <meta name="description" content="A shop">')
    'A shop'
    """
    start = text.find(_TAG)
    while start >= 0:
        start += len(_TAG)
        newline = text.find("\n", start)
        line_end = len(text) if newline < 0 else newline
        end = text.rfind('">', start, line_end)
        if end >= 0:
            return text[start:end]
        # No tag later on this line can end either.
        start = text.find(_TAG, line_end)
    return text


def fork_meta_description(text: str) -> str:
    """Take the tag's content up to the first `">`, over lines and in any case; strip the result.

    Source: muyishen2040/VisualWebBench model_adapters/qwen_hf_vl_adapter.py: a non-greedy
    expression with IGNORECASE and DOTALL.

    >>> fork_meta_description('<META name="description" content="A shop"> <p class="x">')
    'A shop'
    """
    text = text.strip()
    tag = _ANY_CASE_TAG.search(text)
    end = -1 if tag is None else text.find('">', tag.end())
    return text if tag is None or end < 0 else text[tag.end() : end].strip()


def after_first_colon(text: str) -> str:
    """Take what follows the first colon, stripped of spaces and quotes.

    A text without a colon stays as it is, spaces and quotes included. Any colon will do, so an
    answer without a lead-in loses its beginning.

    Source: VisualWebBench model_adapters/qwen_vl_adapter.py and the four others.

    >>> after_first_colon('The text in the box is: "Sign in"'), after_first_colon("10:30")
    ('Sign in', '30')
    """
    _, colon, rest = text.partition(":")
    return strip_quotes(rest) if colon else text


def fork_after_first_colon(text: str) -> str:
    """Do as `after_first_colon`, but strip spaces and quotes of a text without a colon too.

    Source: muyishen2040/VisualWebBench model_adapters/qwen_hf_vl_adapter.py.

    >>> fork_after_first_colon(' "Sign in" ')
    'Sign in'
    """
    _, colon, rest = text.partition(":")
    return strip_quotes(rest if colon else text)


def strip_quotes(text: str) -> str:
    r"""Strip spaces, then every double quote, then every single quote from both ends.

    In this order, so `'"a"'` keeps its double quotes, and spaces inside the quotes stay.

    Source: VisualWebBench model_adapters/openai_adapter.py.

    >>> strip_quotes(' "\'Sign in\'" ')
    'Sign in'
    """
    return text.strip().strip('"').strip("'")


def placeholder_prefix(text: str) -> str:
    """Drop a lead-in such as "Placeholder:" or "Hint text:" and the spaces around the rest.

    Source: WebRSSBench publishes no parser for hint texts; this is a decision.

    >>> placeholder_prefix("Placeholder: Enter your e-mail")
    'Enter your e-mail'
    """
    found = _PLACEHOLDER.match(text)
    return text[found.end() if found else 0 :].strip()

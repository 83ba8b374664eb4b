"""Text overlap, containment and edit distance of an answer and its references.

Exact match and SQuAD F1 are in `snellen.grading.metrics.squad`. With several references, each
function takes the best score; without references it raises `MetricError`.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from snellen.grading.errors import MetricError
from snellen.grading.normalize import Normalizer, alphanumeric, lower_strip

_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
# A number keeps the point or comma inside it, so that 12 is not found in 12.5.
_WORD_NUMBER_OR_MARK = re.compile(r"\w+(?:(?<=\d)[.,](?=\d)\w+)*|[^\w\s]")

_VQA_MARKS = tuple(';/[]"{}()=+\\_-><@`,?!')
_VQA_POINT = re.compile(r"\.(?!\d)")
_VQA_COMMA = re.compile(r"\d,\d")
# The script passes a flag of value 32 as the maximum number of replacements.
_VQA_MOST_POINTS = 32
_VQA_NUMBERS = {
    "none": "0",
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_VQA_ARTICLES = frozenset({"a", "an", "the"})
_VQA_CONTRACTED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't
    haven't he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't
    mightn't've might've mustn't must've needn't not've o'clock oughtn't 'ow's'at shan't she'd've
    should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've
    someone'll someone's something'd something'd've something'll that's there'd there'd've there're
    there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll
    what're what's what've when's where'd where's where've who'd who'd've who'll who's who've
    why'll why're why's won't would've wouldn't wouldn't've y'all y'all'll y'all'd've you'd
    you'd've you'll you're you've
"""


def multiset_f1(prediction_tokens: Sequence[str], reference_tokens: Sequence[str]) -> float:
    """Return twice the shared tokens over the tokens of both, repetitions counted.

    No shared token scores 0, also if both are empty. Source: SQuAD v1.1, evaluate-v1.1.py.

    >>> multiset_f1(["the", "the"], ["the", "cat"])
    0.5
    """
    shared = (Counter(prediction_tokens) & Counter(reference_tokens)).total()
    return _f1(shared, len(prediction_tokens), len(reference_tokens))


def set_f1(prediction_tokens: Sequence[str], reference_tokens: Sequence[str]) -> float:
    """Return twice the shared distinct tokens over the distinct tokens of both.

    No shared token scores 0, also if both are empty.

    >>> set_f1(["the", "the"], ["the", "cat"])
    0.6666666666666666
    """
    prediction, reference = set(prediction_tokens), set(reference_tokens)
    return _f1(len(prediction & reference), len(prediction), len(reference))


def multiui_f1(
    prediction: str, references: Sequence[str], normalize: Normalizer = lower_strip
) -> float:
    """Return the set F1 of words and punctuation marks, the best over the references.

    A token is a run of word characters or one character that is neither a word character nor white
    space. A text without tokens scores 0. Source: neulab/MultiUI (e261d8a),
    eval/lmms-eval-MultiUI/lmms_eval/ tasks/screenqa_short/utils.py. hunterheiden/lmms-eval's task
    screenqa does the same since 4255298.

    >>> multiui_f1("$4", ["4"])
    0.6666666666666666
    """

    def score(text: str, reference: str) -> float:
        return set_f1(_WORD_OR_MARK.findall(text), _WORD_OR_MARK.findall(reference))

    return _best(score, normalize(prediction), [normalize(text) for text in references])


def charset_f1(
    prediction: str, references: Sequence[str], normalize: Normalizer = alphanumeric
) -> float:
    """Return the F1 of the distinct characters of two texts, the best over the references.

    Precision and recall divide the shared *distinct* characters by the *lengths* of the texts, as
    published. So a text with a repeated letter does not fully match itself ("book": 0.75), and an
    anagram scores like the answer. An empty text scores 0. Source: hunterheiden/ lmms-eval
    (83a989c), lmms_eval/tasks/screenqa/utils.py.

    >>> charset_f1("listen", ["Silent!"]), charset_f1("book", ["book"])
    (1.0, 0.75)
    """

    def score(text: str, reference: str) -> float:
        return _f1(len(set(text) & set(reference)), len(text), len(reference))

    return _best(score, normalize(prediction), [normalize(text) for text in references])


def contains(
    prediction: str,
    references: Sequence[str],
    normalize: Normalizer = lower_strip,
    *,
    whole_words: bool = True,
) -> float:
    """Return 1 if the prediction contains a reference, else 0.

    With `whole_words`, the reference's words, numbers and punctuation marks must be consecutive in
    the prediction: "Q3" is not in "Q30", 120 not in 1200 and 12 not in 12.5. A reference without
    any of them is never contained. Without `whole_words` any substring counts, also the empty one,
    which is the usual published rule.

    Raises:
        MetricError: There is no reference.

    >>> contains("It rose to 1200.", ["120"]), contains("It rose to 1200.", ["1200"])
    (0.0, 1.0)
    >>> contains("It rose to 1200.", ["120"], whole_words=False)
    1.0
    """

    def score(text: str, reference: str) -> float:
        if not whole_words:
            return float(reference in text)
        # Tokens contain no space, so a space on each side prevents partial matches.
        wanted = " ".join(_WORD_NUMBER_OR_MARK.findall(reference))
        found = " ".join(_WORD_NUMBER_OR_MARK.findall(text))
        return float(bool(wanted) and f" {wanted} " in f" {found} ")

    return _best(score, normalize(prediction), [normalize(text) for text in references])


def anls(prediction: str, references: Sequence[str], *, threshold: float = 0.5) -> float:
    """Return the normalized Levenshtein similarity, the best over the references.

    Both texts are lower-cased and their white space is collapsed. The distance is divided by the
    length of the longer form; two empty texts are equal. A similarity below the threshold scores 0,
    one equal to it counts. The mean over a data set is ANLS.

    Source: Biten et al., Scene Text Visual Question Answering (ICCV 2019), equation 1. The paper
    excludes a similarity of exactly 0.5; the organizers' script and this function include it. The
    script divides by the length of the longer *raw* text, so that padding lowers the distance; this
    function does not.

    Raises:
        MetricError: There is no reference.

    >>> anls("Wall Sit", ["wall sits"]), anls("rest", ["12"])
    (0.8888888888888888, 0.0)
    """
    from rapidfuzz.distance import Levenshtein

    def score(text: str, reference: str) -> float:
        similarity = Levenshtein.normalized_similarity(text, reference)
        return similarity if similarity >= threshold else 0.0

    plain = [" ".join(text.lower().split()) for text in (prediction, *references)]
    return _best(score, plain[0], plain[1:])


def vqa_form(text: str) -> str:
    """Return the form in which VQA answers are compared.

    A punctuation mark is deleted if the text has it next to a space (or has a comma between
    digits); otherwise it becomes a space. A period that no digit follows is deleted. Then the text
    is lower-cased, number words up to ten become digits, articles are removed, and apostrophes are
    restored in contractions. Source: GT-Vision-Lab/VQA,
    PythonEvaluationTools/vqaEvaluation/vqaEval.py.

    >>> vqa_form("The two dogs, dont bark.")
    "2 dogs don't bark"
    """
    flat = text.replace("\n", " ").replace("\t", " ").strip()
    words = (_VQA_NUMBERS.get(word, word) for word in _vqa_marks_removed(flat).lower().split())
    kept = (word for word in words if word not in _VQA_ARTICLES)
    return " ".join(_VQA_CONTRACTIONS.get(word, word) for word in kept)


def vqa_accuracy(prediction: str, references: Sequence[str], *, published: bool = True) -> float:
    """Return a third for each annotator who gave the answer, at most 1.

    The references are the answers of all annotators, repetitions included. Each is left out in
    turn, and the score is the mean of min(matches among the others / 3, 1).

    Args:
        prediction: The answer; it is converted to `vqa_form`.
        references: The annotators' answers, two or more.
        published: Prepare references as the published script does: remove punctuation if the
            annotators differ, otherwise change nothing. The script expects references in
            `vqa_form`. If they are not ("Two"), pass False to convert them too.

    Source: Goyal et al., Making the V in VQA Matter (CVPR 2017); GT-Vision-Lab/VQA, vqaEval.py.

    Raises:
        MetricError: There are fewer than two references.

    >>> round(vqa_accuracy("Two.", ["2", "2", "2", "3", "3", "3", "3", "3", "3", "3"]), 9)
    0.9
    """
    if len(references) < 2:
        raise MetricError("VQA accuracy leaves one annotator out, so it needs two or more answers")
    if not published:
        answers = [vqa_form(text) for text in references]
    elif len(set(references)) > 1:
        answers = [_vqa_marks_removed(text) for text in references]
    else:
        answers = list(references)
    matches = answers.count(vqa_form(prediction))
    others = len(answers) - matches
    return (matches * min((matches - 1) / 3, 1.0) + others * min(matches / 3, 1.0)) / len(answers)


def _f1(shared: int, prediction_size: int, reference_size: int) -> float:
    """Return the harmonic mean of shared/prediction and shared/reference; 0 if none is shared."""
    return 2.0 * shared / (prediction_size + reference_size) if shared else 0.0


def _best(score: Callable[[str, str], float], prediction: str, references: Sequence[str]) -> float:
    """Return the highest score of the prediction over the references."""
    if not references:
        raise MetricError("there is no reference to compare the answer with")
    return max(score(prediction, reference) for reference in references)


def _vqa_marks_removed(text: str) -> str:
    """Remove the punctuation that VQA ignores: delete it or replace it by a space."""
    comma_between_digits = _VQA_COMMA.search(text) is not None
    kept = text
    for mark in _VQA_MARKS:
        beside_space = f"{mark} " in text or f" {mark}" in text
        kept = kept.replace(mark, "" if beside_space or comma_between_digits else " ")
    return _VQA_POINT.sub("", kept, count=_VQA_MOST_POINTS)


def _vqa_contractions() -> dict[str, str]:
    """Map misspelled contractions: each form with exactly one apostrophe left out."""
    # The script maps this contraction in the wrong direction.
    misspelt = {"somebody'd": "somebodyd"}
    for form in _VQA_CONTRACTED.split():
        for index, character in enumerate(form):
            if character == "'":
                misspelt[form[:index] + form[index + 1 :]] = form
    return misspelt


_VQA_CONTRACTIONS = _vqa_contractions()

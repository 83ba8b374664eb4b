"""The word tables and lookups in them."""

import re
import unicodedata

import pytest

from snellen.build.screen.words import reading


def known(code: str) -> reading.Words:
    words = reading.words_of(code)
    assert words is not None
    return words


@pytest.mark.parametrize("code", reading.LANGUAGES)
def test_every_expression_of_a_language_can_be_read(code: str) -> None:
    words = known(code)
    patterns = [pattern for pattern, _ in words.does]
    patterns += [words.harmless, words.irreversible, words.doubtful, *words.fields.values()]
    assert all(re.compile(pattern) for pattern in patterns)
    # They are looked for in folded texts, so that a capital letter or an ß never fits.
    for pattern in patterns:
        letters = re.sub(r"\\.", "", pattern)
        assert letters == letters.casefold()


@pytest.mark.parametrize("code", reading.LANGUAGES)
def test_every_kind_of_a_field_has_values_or_is_a_date(code: str) -> None:
    words = known(code)
    assert set(words.fields) - {"date", "birth"} == words.kinds
    assert all(len(values) == len(set(values)) > 0 for values in words.values.values())


@pytest.mark.parametrize("code", reading.LANGUAGES)
def test_persons_have_all_that_is_theirs_and_no_two_have_the_same(code: str) -> None:
    words = known(code)
    assert len(words.persons) > 2
    assert {frozenset(person) for person in words.persons} == {words.kinds - set(words.values)}
    for person in words.persons:
        user, _, _ = person["email"].partition("@")
        assert person["username"] == user.replace(".", "")
        if "first_name" in person:
            assert person["name"] == f"{person['first_name']} {person['last_name']}"
            bare = unicodedata.normalize("NFD", person["name"]).encode("ascii", "ignore").decode()
            assert user == ".".join(bare.casefold().split()[:2])
    for kind in ("name", "email", "phone", "address", "postcode"):
        assert len(words.typed(kind)) == len(words.persons)


@pytest.mark.parametrize("code", reading.LANGUAGES)
def test_what_a_button_does_is_said_in_whole_sentences(code: str) -> None:
    for _, sentence in known(code).does:
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert sentence.isascii()


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("en", "Add to basket", "Adds the item to the shopping basket."),
        ("en", "BUY NOW →", "Starts the purchase of the item."),
        ("en", "Delete account", "Deletes the account for good."),
        ("en", "Add new project", "Adds a new project."),
        ("de", "Jetzt kaufen", "Starts the purchase of the item."),
        ("es", "Cerrar sesión", "Signs the user out of the account."),
        ("fr", "S’inscrire", "Creates a new account."),
        ("pt", "Criar conta", "Creates a new account."),
        ("zh", "立即购买", "Starts the purchase of the item."),
        ("ar", "احجز موعدًا", "Books an appointment."),
        ("en", "Frobnicate", None),
        ("en", "Do not buy now", None),
    ],
)
def test_what_a_button_does_follows_from_its_words(code: str, text: str, said: str | None) -> None:
    assert reading.deed(known(code), text) == said


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Delete account"), ("en", "Erase all data"), ("en", "Empty bin"),
        ("en", "Place order and pay"), ("en", "Cancel subscription"),
        ("de", "Konto löschen"), ("de", "Zahlungspflichtig bestellen"), ("de", "Abo kündigen"),
        ("es", "Eliminar cuenta"), ("es", "Vaciar papelera"), ("fr", "Supprimer mon compte"),
        ("fr", "Annuler la commande"), ("pt", "Excluir conta"), ("zh", "注销账户"),
        ("zh", "清空回收站"), ("ar", "حذف الحساب"), ("ar", "حذف ملف الضيف"),
    ],
)  # fmt: skip
def test_what_cannot_be_undone_is_known(code: str, text: str) -> None:
    assert reading.is_dangerous(known(code), text)
    assert not reading.is_doubtful(known(code), text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Clear filters"), ("en", "Cancel"), ("en", "Sign out"), ("en", "Learn more"),
        ("en", "Remove from list"), ("de", "Filter löschen"), ("de", "Suche abbrechen"),
        ("de", "Schließen"), ("es", "Quitar filtros"), ("es", "Cerrar sesión"),
        ("fr", "Effacer les filtres"), ("pt", "Limpar filtros"), ("zh", "清除筛选"),
        ("zh", "移到回收站"), ("ar", "مسح عوامل التصفية"), ("ar", "نقل إلى السلة"),
    ],
)  # fmt: skip
def test_what_sounds_like_it_and_can_be_undone_is_harmless(code: str, text: str) -> None:
    assert not reading.is_dangerous(known(code), text)
    assert not reading.is_doubtful(known(code), text)


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "Send"), ("en", "Remove"), ("de", "Absenden"), ("es", "Enviar"), ("zh", "提交")],
)
def test_of_some_nobody_can_tell(code: str, text: str) -> None:
    assert reading.is_doubtful(known(code), text)
    assert not reading.is_dangerous(known(code), text)


@pytest.mark.parametrize(
    ("code", "label", "kind"),
    [
        ("en", "E-mail address *", "email"),
        ("en", "Company name", "company"),
        ("en", "First name", "first_name"),
        ("en", "Full name", "name"),
        ("en", "Date of birth", "birth"),
        ("en", "Date range", None),
        ("en", "Message", None),
        ("de", "Straße und Hausnummer", "address"),
        ("de", "Vorname", "first_name"),
        ("es", "Nombre y apellidos", "name"),
        ("fr", "Nom", "last_name"),
        ("pt", "Nome", "first_name"),
        ("zh", "出生日期", "birth"),
        ("ar", "رقم البطاقة", "card"),
    ],
)
def test_labels_say_what_is_typed_into_a_field(code: str, label: str, kind: str | None) -> None:
    assert reading.field_kind(known(code), [label]) == kind


def test_the_first_text_that_says_something_counts() -> None:
    assert reading.field_kind(known("en"), ["Yours", "Phone"]) == "phone"
    assert reading.field_kind(known("en"), []) is None


def test_a_language_goes_by_its_first_part() -> None:
    assert reading.words_of("zh-CN") is reading.words_of("zh")
    assert reading.words_of("EN_us") is reading.words_of("en")
    assert reading.words_of("fi") is None
    assert reading.words_of("") is None


def test_advertisements_are_known_by_their_names() -> None:
    assert reading.is_advertisement("Advertisement")
    assert reading.is_advertisement("Anzeige")
    assert reading.is_advertisement("广告")
    assert not reading.is_advertisement("Address")
    assert not reading.is_advertisement("")


def test_a_text_for_looking_up_has_bare_ends() -> None:
    assert reading.plain("  Sign\u00a0in  »") == "sign in"
    assert reading.plain("!?") == ""

"""The language of pages that do not declare it."""

import pytest

from snellen.build.screen.html import recognized

SAID = {
    "en": "The museum is open on every day of the week, and the garden can be seen from the terrace"
    " with a ticket that is valid for the whole of the day. You will find it by the river.",
    "de": "Das Museum ist an jedem Tag der Woche geöffnet, und der Garten kann von der Terrasse mit"
    " einer Karte, die für den ganzen Tag gilt, besichtigt werden. Sie finden es bei dem Fluss.",
    "es": "El museo está abierto todos los días de la semana, y el jardín se puede ver desde la"
    " terraza con una entrada que vale para el día. Lo encontrará junto al río, como siempre.",
    "fr": "Le musée est ouvert tous les jours de la semaine, et le jardin est visible de la"
    " terrasse avec un billet qui est valable pour la journée. Vous le trouverez au bord du lac.",
    "pt": "O museu está aberto em todos os dias da semana, e o jardim pode ser visto do terraço com"
    " um bilhete que é válido para o dia. Você o encontra na margem do rio, como as pontes.",
    "it": "Il museo è aperto tutti i giorni della settimana, e il giardino si può vedere dalla"
    " terrazza con un biglietto che è valido per la giornata. Lo trova sulla riva del fiume.",
    "zh": "博物馆每天开放，花园可以从露台上看到，门票全天有效，"
    "您可以在河边找到它，欢迎您和家人一起来参观，停车方便。",
    "ar": "المتحف مفتوح كل يوم من أيام الأسبوع ويمكن رؤية الحديقة من الشرفة بتذكرة صالحة طوال اليوم"
    " وستجده بجانب النهر ويمكنكم زيارته مع العائلة.",
}


@pytest.mark.parametrize("code", SAID)
def test_a_text_of_some_sentences_is_in_its_language(code: str) -> None:
    assert recognized([SAID[code], SAID[code]]) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Home Products Pricing Contact",
        "alpha beta gamma delta " * 20,
        "博物館は毎日開いています。庭はテラスから見ることができます。入場券は有効です。",
        "موزه هر روز هفته باز است و می‌توان باغ را از ایوان دید و بلیت برای تمام روز معتبر است",
        SAID["en"] + SAID["de"],
    ],
)
def test_few_words_no_sentences_and_other_languages_are_in_none(text: str) -> None:
    assert recognized([text]) == ""

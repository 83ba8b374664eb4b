"""Tasks in the shop."""

from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates import common


def goods(draft: Draft) -> common.Found:
    """Return the products of which there is enough."""
    return [item for item in draft.state["shop"]["products"].items() if item[1]["stock"] > 9]


def orders(draft: Draft, status: str, count: int) -> common.Found:
    """Choose orders of a status; if there are too few, others get it."""
    found = sorted(draft.state["shop"]["orders"].items())
    fitting = [item for item in found if item[1]["status"] == status]
    for item in found:
        if len(fitting) < count and item not in fitting:
            item[1]["status"] = status
            fitting.append(item)
    return draft.rng.sample(fitting, count)


def order_words(draft: Draft, order: dict[str, Any]) -> str:
    """Describe an order: by number, or by its content and date."""
    if draft.difficulty == "hard" and draft.state["shop"]["orders"]:
        found = list(draft.state["shop"]["orders"].items())
        if any(own is order for _, own in common.alone(found, "date")):
            return f"the one of {long_day(order['date'])}"
    return order["number"]


def product_words(draft: Draft, product: dict[str, Any]) -> str:
    """Describe a product: by name, or by kind and color if they are unique."""
    same = [
        each
        for each in draft.state["shop"]["products"].values()
        if (each["kind"], each["color"]) == (product["kind"], product["color"])
    ]
    if draft.difficulty == "easy" or len(same) > 1:
        return f"“{product['name']}”"
    if draft.difficulty == "hard":
        kind = [
            each["price"]
            for each in draft.state["shop"]["products"].values()
            if each["kind"] == product["kind"]
        ]
        if kind.count(min(kind)) == 1 and product["price"] == min(kind):
            return f"the cheapest {product['kind'].lower()}"
    return f"the {product['color']} {product['kind'].lower()}"


def _buy(draft: Draft) -> None:
    chosen = common.some(draft, goods(draft))
    counts = [draft.rng.randrange(2, 8) for _ in chosen]
    shipping = draft.rng.choice(("standard", "express"))
    parts = [
        f"{count} of {product_words(draft, product)}"
        for (_, product), count in zip(chosen, counts, strict=True)
    ]
    draft.goal = (
        f"Order in the shop, in one order with {shipping} shipping: {common.series(parts)}."
    )
    for (key, _), count in zip(chosen, counts, strict=True):
        draft.expect("add_to_cart", product=key, count=count)
    draft.expect("place_order", shipping=shipping)
    draft.impossible(Reason.NOT_AVAILABLE, common.set_to("shop.products", chosen[-1][0], stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), count in zip(chosen, counts, strict=True):
            common.into_cart(walk, key, count)
        common.buy(walk, shipping)


def _cart(draft: Draft) -> None:
    chosen = common.some(draft, goods(draft))
    words = common.series([product_words(draft, product) for _, product in chosen])
    draft.goal = (
        f"Put one piece each of these into the cart of the shop, and order nothing: {words}."
    )
    for key, _ in chosen:
        draft.expect("add_to_cart", product=key, count=1)
    draft.impossible(Reason.NOT_AVAILABLE, common.set_to("shop.products", chosen[-1][0], stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.into_cart(walk, key, 1)


def _cancel(draft: Draft) -> None:
    chosen = orders(draft, "processing", draft.size)
    words = common.series([order_words(draft, order) for _, order in chosen])
    noun = "this order" if len(chosen) == 1 else "these orders"
    draft.goal = f"Cancel {noun} of yours in the shop: {words}."
    for key, _ in chosen:
        draft.expect("cancel_order", order=key)
    draft.impossible(
        Reason.NOT_ALLOWED, common.set_to("shop.orders", chosen[-1][0], status="shipped")
    )

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_order(walk, key)
            walk.press("shop.cancel", "shop.cancel.yes")


def _return(draft: Draft) -> None:
    chosen = orders(draft, "delivered", draft.size)
    words = {
        "damaged": "it arrived damaged",
        "wrong": "it is not what you ordered",
        "unwanted": "you do not need it any more",
    }
    reasons = [draft.rng.choice(sorted(words)) for _ in chosen]
    parts = [
        f"{order_words(draft, order)} ({words[reason]})"
        for (_, order), reason in zip(chosen, reasons, strict=True)
    ]
    noun = "this order" if len(chosen) == 1 else "these orders"
    draft.goal = f"Ask the shop to take back {noun} of yours: {common.series(parts)}."
    for (key, _), reason in zip(chosen, reasons, strict=True):
        draft.expect("return_order", order=key, reason=reason)
    draft.impossible(
        Reason.NOT_ALLOWED, common.set_to("shop.orders", chosen[-1][0], status="processing")
    )

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), reason in zip(chosen, reasons, strict=True):
            common.to_order(walk, key)
            walk.press("shop.return")
            if reason != "damaged":
                walk.press(f"form.reason:{reason}")
            walk.press("shop.return.go")


def _total(draft: Draft) -> None:
    chosen = common.some(draft, list(draft.state["shop"]["orders"].items()))
    words = common.series([order_words(draft, order) for _, order in chosen])
    draft.goal = (
        f"What did you pay in the shop for the order {words}? Answer with a number of dollars."
        if len(chosen) == 1
        else f"What did you pay in the shop for these orders in all: {words}? Answer with a number"
        " of dollars."
    )
    draft.answer = Answer("money", sum(order["total"] for _, order in chosen) / 100)
    draft.impossible(Reason.NO_SUCH_ITEM, common.gone("shop.orders", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            common.to_order(walk, key)


SHOP = tuple(
    Template(name, ("shop",), fill)
    for name, fill in (
        ("shop-buy", _buy),
        ("shop-cart", _cart),
        ("shop-cancel", _cancel),
        ("shop-return", _return),
        ("shop-total", _total),
    )
)

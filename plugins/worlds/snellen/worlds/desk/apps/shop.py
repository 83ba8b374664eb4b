"""Shop: goods, a cart, orders that can be canceled or sent back."""

from typing import Annotated, Any, Literal

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import PICTURES, div, drawing, icon, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    View,
    do,
    dragged,
    go,
    long_day,
    money,
    short_day,
)

CATEGORIES = ("Electronics", "Furniture", "Kitchen", "Lighting", "Stationery")
SORTS = (
    ("name", "Name"),
    ("price", "Price: low to high"),
    ("-price", "Price: high to low"),
    ("-rating", "Best rated"),
)
REASONS = (
    ("damaged", "It arrived damaged"),
    ("wrong", "It is not what I ordered"),
    ("unwanted", "I do not need it any more"),
)

Count = Annotated[int, Field(ge=1, le=99)]
Category = Literal["", "Electronics", "Furniture", "Kitchen", "Lighting", "Stationery"]


class ProductId(verbs.Arguments):
    """A product."""

    product: str


class Amount(ProductId):
    """A product and how many of it."""

    count: Count = 1


class Ordering(verbs.Arguments):
    """The shipping of an order."""

    shipping: Literal["standard", "express"] = "standard"


class OrderId(verbs.Arguments):
    """An order."""

    order: str


class Returning(OrderId):
    """An order that goes back, and why."""

    reason: Literal["damaged", "wrong", "unwanted"]


class ProductSearch(verbs.Arguments):
    """A filter of products."""

    text: str = ""
    category: Category = ""


def add_to_cart(state: verbs.State, given: Amount) -> JsonValue:
    """Add pieces of a product to the cart."""
    cart = state["shop"]["cart"]
    line = cart.get(given.product, {"count": 0})
    return _fill(state, given.product, line["count"] + given.count)


def set_cart_count(state: verbs.State, given: Amount) -> JsonValue:
    """Set how many pieces of a product the cart holds."""
    verbs.take(state["shop"]["cart"], given.product, "line in the cart")
    return _fill(state, given.product, given.count)


def remove_from_cart(state: verbs.State, given: ProductId) -> JsonValue:
    """Remove a product from the cart."""
    verbs.take(state["shop"]["cart"], given.product, "line in the cart")
    del state["shop"]["cart"][given.product]
    return {}


def place_order(state: verbs.State, given: Ordering) -> JsonValue:
    """Order the content of the cart."""
    shop = state["shop"]
    if not shop["cart"]:
        raise verbs.RefusalError("The cart is empty")
    lines: list[dict[str, Any]] = []
    for key, line in sorted(shop["cart"].items()):
        product = shop["products"][key]
        product["stock"] -= line["count"]
        price = product["price"]
        lines.append(
            {"product": key, "name": product["name"], "count": line["count"], "price": price}
        )
    numbers = [int(order["number"].removeprefix("SO-")) for order in shop["orders"].values()]
    order: dict[str, Any] = {
        "number": f"SO-{max(numbers, default=40_000) + 1}",
        "date": state["clock"][:10],
        "lines": lines,
        "total": sum(line["count"] * line["price"] for line in lines),
        "status": "processing",
        "shipping": given.shipping,
        "reason": "",
    }
    shop["cart"] = {}
    return {"order": verbs.add(shop["orders"], order), "number": order["number"]}


def cancel_order(state: verbs.State, given: OrderId) -> JsonValue:
    """Cancel an order that is not shipped yet."""
    order = verbs.take(state["shop"]["orders"], given.order, "order")
    if order["status"] != "processing":
        raise verbs.RefusalError(f"This order is {order['status']}: it is too late to cancel it")
    order["status"] = "canceled"
    return order


def return_order(state: verbs.State, given: Returning) -> JsonValue:
    """Request the return of a delivered order."""
    order = verbs.take(state["shop"]["orders"], given.order, "order")
    if order["status"] != "delivered":
        raise verbs.RefusalError(
            f"This order is {order['status']}: only a delivered one can go back"
        )
    order.update(status="return requested", reason=given.reason)
    return order


def list_products(state: verbs.State, given: ProductSearch) -> JsonValue:
    """List the products of a category that contain a text, by name."""
    return [
        {"id": key, **product}
        for key, product in _listed(state, given.text, given.category, "name")
    ]


def read_cart(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """Read the content of the cart."""
    del given
    return state["shop"]["cart"]


def list_orders(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """List the orders, the newest first."""
    del given
    return [{"id": key, **order} for key, order in _orders(state)]


def _fill(state: verbs.State, key: str, count: int) -> JsonValue:
    product = verbs.take(state["shop"]["products"], key, "product")
    if product["stock"] == 0:
        raise verbs.RefusalError(f"{product['name']} is sold out")
    if count > product["stock"]:
        raise verbs.RefusalError(f"Only {product['stock']} pieces are in stock")
    state["shop"]["cart"][key] = {"product": key, "count": count}
    return {"count": count}


def _listed(
    state: verbs.State, text: str, category: str, sort: str
) -> list[tuple[str, dict[str, Any]]]:
    wanted = text.lower().split()
    found = sorted(
        (
            (key, product)
            for key, product in state["shop"]["products"].items()
            if category in ("", product["category"])
            and all(word in product["name"].lower() for word in wanted)
        ),
        key=lambda item: item[1]["name"],
    )
    return sorted(found, key=lambda item: item[1][sort.lstrip("-")], reverse=sort.startswith("-"))


def _orders(state: verbs.State) -> list[tuple[str, dict[str, Any]]]:
    orders = state["shop"]["orders"].items()
    return sorted(orders, key=lambda item: (item[1]["date"], item[1]["number"]), reverse=True)


def _view(view: View) -> Markup:
    page = view.text("shop.tab", "goods")
    pieces = sum(line["count"] for line in view.state["shop"]["cart"].values())
    tabs = [("goods", "Products", "box"), ("cart", f"Cart ({pieces})", "shop"),
            ("orders", "Orders", "file")]  # fmt: skip
    bar = div(
        "tabs",
        [
            view.press(
                "tab on" if key == page else "tab",
                f"shop.tab:{key}",
                go({"shop.tab": key, "shop.open": None}),
                icon(sign, 16),
                span("", title),
                label=title,
                data_d=view.place("shop.to:cart", "product") if key == "cart" else None,
            )
            for key, title, sign in tabs
        ],
    )
    drawn = {"goods": _goods, "cart": _cart, "orders": _order_list}[page](view)
    return join(tag("section", bar, drawn, class_="fill"), _dialogs(view))


def _goods(view: View) -> Markup:
    key = view.text("shop.open")
    if key in view.state["shop"]["products"]:
        return _product(view, key, view.state["shop"]["products"][key])
    listed = _listed(
        view.state,
        view.text("shop.search.done"),
        view.text("shop.category"),
        view.text("shop.sort", "name"),
    )
    categories = [("", "All categories"), *((name, name) for name in CATEGORIES)]
    bar = div(
        "toolbar",
        view.search("shop.search", "Search products"),
        _departments(view),
        view.select("shop.category", categories),
        view.select("shop.sort", SORTS, default="name"),
        span("grow"),
        view.total(len(listed)),
    )
    cards = [_card(view, key, product) for key, product in listed]
    where = f"shop.page.{view.text('shop.category')}.{view.text('shop.search.done')}"
    grid = view.scroll(where, div("goods-grid", cards))
    return join(bar, grid if cards else div("empty", "No products found"))


def _card(view: View, key: str, product: dict[str, Any]) -> Markup:
    drawn = view.press(
        "goods",
        f"shop.open:{key}",
        go({"shop.open": key, "shop.count": "1"}),
        _picture(view, product),
        span("goods-name", product["name"]),
        span("goods-line", span("price", money(product["price"])), _stars(product)),
        span("stock none" if not product["stock"] else "stock", _stock(product)),
        label=product["name"],
        grab=dragged("product", "add_to_cart", {"product": key, "count": 1}, "Added to the cart"),
    )
    days = product["ships"]
    ships = span("strong", f"Ships in {days} day{'s' * (days > 1)}")
    return view.hover(f"shop.look:{key}", drawn, "tip", ships, span("", f"Article {key.upper()}"))


def _departments(view: View) -> Markup:
    """Return a menu of all kinds of products, which opens while the pointer is over it."""
    products = view.state["shop"]["products"].values()
    found = {(product["kind"], product["category"]) for product in products}
    kinds = [
        span(
            "department",
            span("label", category),
            [
                view.press(
                    "option",
                    f"shop.kind:{kind}",
                    go({"shop.search": kind, "search": "shop.search", "shop.category": ""}),
                    kind,
                    label=kind,
                )
                for kind, of in sorted(found)
                if of == category
            ],
        )
        for category in CATEGORIES
    ]
    shown = span("select", span("", "Departments"), icon("down", 14))
    return view.hover("shop.departments", shown, "departments", kinds)


def _product(view: View, key: str, product: dict[str, Any]) -> Markup:
    back = view.button("Back to the products", "shop.back", go({"shop.open": None}), sign="left")
    put = do(
        "add_to_cart",
        {"product": key},
        {"count": "shop.count"},
        {"toast": "Added to the cart", "shop.count": "1"},
    )
    facts = (
        ("Brand", product["brand"]),
        ("Category", product["category"]),
        ("Color" if product["color"].isalpha() else "Variant", product["color"]),
        ("Rating", f"{product['rating'] / 10} of 5"),
        ("Article", key.upper()),
    )
    return join(
        div("toolbar", back),
        div(
            "product",
            _picture(view, product, large=True),
            div(
                "product-words",
                tag("h2", product["name"]),
                div("price big", money(product["price"])),
                div("stock none" if not product["stock"] else "stock", _stock(product)),
                tag("dl", [join(tag("dt", name), tag("dd", value)) for name, value in facts]),
                div(
                    "row",
                    div("narrow", view.input("shop.count", "Quantity", enter="shop.add.go")),
                    view.button("Add to cart", "shop.add.go", put, sign="shop", kind="primary"),
                ),
            ),
        ),
    )


def _cart(view: View) -> Markup:
    products, cart = view.state["shop"]["products"], view.state["shop"]["cart"]
    if not cart:
        return div("empty", "Your cart is empty")
    total = sum(products[key]["price"] * line["count"] for key, line in cart.items())

    def amount(key: str, count: int, sign: str, label: str) -> Markup:
        action = do("set_cart_count", {"product": key, "count": count})
        name = f"shop.{'more' if sign == 'plus' else 'fewer'}:{key}"
        drawn = icon(sign, 14) if sign == "plus" else span("minus", "-")
        return view.press("arrow", name, action, drawn, label=label, disabled=count < 1)

    rows = [
        div(
            "cart-row",
            _picture(view, products[key]),
            span("grow strong", products[key]["name"]),
            span("cell", money(products[key]["price"])),
            amount(key, line["count"] - 1, "minus", "One fewer"),
            span("cart-count", str(line["count"])),
            amount(key, line["count"] + 1, "plus", "One more"),
            span("cell strong", money(products[key]["price"] * line["count"])),
            view.button(
                "Remove",
                f"shop.remove:{key}",
                do("remove_from_cart", {"product": key}),
                sign="trash",
                kind="danger-quiet",
            ),
        )
        for key, line in sorted(cart.items())
    ]
    checkout = view.button(
        "Order…",
        "shop.checkout",
        go({"dialog": "shop.order", "form.*": None, "form.shipping": "standard"}),
        kind="primary",
    )
    pager = view.total(len(cart))
    foot = div("cart-foot", pager, span("grow"), span("total", f"Total: {money(total)}"), checkout)
    return div("cart", view.scroll("shop.lines", rows), foot)


def _order_list(view: View) -> Markup:
    orders = _orders(view.state)
    opened = view.text("shop.open")
    rows = [
        view.press(
            "order-row on" if key == opened else "order-row",
            f"shop.order:{key}",
            go({"shop.open": key}),
            span("cell", order["number"]),
            span("cell", short_day(order["date"])),
            span("cell", money(order["total"])),
            span(f"status is-{order['status'].split()[0]}", order["status"].capitalize()),
            label=order["number"],
        )
        for key, order in orders
    ]
    bar = div(
        "toolbar", span("strong", "Your orders"), span("grow"),
        view.total(len(orders)),
    )  # fmt: skip
    order = view.state["shop"]["orders"].get(opened)
    side = _order(view, opened, order) if order else div("empty", "Select an order")
    return join(
        bar, div("split", div("people", view.scroll("shop.orders", rows)), div("card-pane", side))
    )


def _order(view: View, key: str, order: dict[str, Any]) -> Markup:
    lines = [
        tag(
            "tr",
            tag("td", line["name"]),
            tag("td", str(line["count"]), class_="right"),
            tag("td", money(line["price"]), class_="right"),
            tag("td", money(line["price"] * line["count"]), class_="right"),
        )
        for line in order["lines"]
    ]
    head = [
        tag("th", name, class_="right" if name != "Product" else None)
        for name in ("Product", "Pieces", "Price", "Sum")
    ]
    buttons = [
        view.button(
            "Cancel the order",
            "shop.cancel",
            go({"dialog": "shop.cancel", "dialog.of": key}),
            kind="danger-quiet",
        ),
        view.button(
            "Return the order…",
            "shop.return",
            go({"dialog": "shop.return", "dialog.of": key, "form.reason": "damaged"}),
        ),
    ]
    return join(
        tag("h2", f"Order {order['number']}"),
        div("soft", f"{long_day(order['date'])}, {order['shipping']} shipping"),
        div("row", span(f"status is-{order['status'].split()[0]}", order["status"].capitalize())),
        tag("table", tag("tr", head), lines, class_="lines"),
        div("total", f"Total: {money(order['total'])}"),
        div("row", buttons),
    )


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("dialog.of")
    if name == "shop.cancel":
        then = {**CLOSE.ui, "toast": "Order canceled"}
        number = view.state["shop"]["orders"][key]["number"]
        question = f"Order {number} will not be sent."
        action = do("cancel_order", {"order": key}, then=then)
        return view.confirm(name, "Cancel this order?", question, "Cancel the order", action)
    with view.layer(Layer.DIALOG):
        if name == "shop.order":
            options = (("standard", "Standard, 3 to 5 days"), ("express", "Express, next day"))
            body = view.labelled("Shipping", view.radio("form.shipping", options))
            then = {**CLOSE.ui, "toast": "Thank you for your order", "shop.tab": "orders"}
            action = do("place_order", {}, {"shipping": "form.shipping"}, then)
            buy = view.button("Buy now", "shop.buy.go", action, kind="primary")
            return view.dialog("Place the order", body, view.cancel(), buy)
        if name == "shop.return":
            body = view.labelled("Reason", view.radio("form.reason", REASONS))
            then = {**CLOSE.ui, "toast": "Return requested"}
            action = do("return_order", {"order": key}, {"reason": "form.reason"}, then)
            send = view.button("Send back", "shop.return.go", action, kind="primary")
            return view.dialog("Return the order", body, view.cancel(), send)
    return Markup("")


def _stock(product: dict[str, Any]) -> str:
    return f"{product['stock']} in stock" if product["stock"] else "Sold out"


def _stars(product: dict[str, Any]) -> Markup:
    return span("rating", icon("star", 13, filled=True), f"{product['rating'] / 10}")


def _picture(view: View, product: dict[str, Any], *, large: bool = False) -> Markup:
    kind = "picture large" if large else "picture"
    color = f"color-{product['color'].replace(' ', '-')}"
    drawn = drawing(PICTURES[product["kind"]], 240 if large else 96)
    return span(f"{kind} drawn {color}", drawn)


SHOP = App(
    "shop",
    "Shop",
    _view,
    (
        verbs.read(list_products),
        verbs.read(read_cart),
        verbs.read(list_orders),
        verbs.verb(add_to_cart),
        verbs.verb(set_cart_count),
        verbs.verb(remove_from_cart),
        verbs.verb(place_order, undo=False),
        verbs.verb(cancel_order, undo=False),
        verbs.verb(return_order, undo=False),
    ),
)

"""What a page shows as text and by numbers is what can be acted on, by ids of one rendering."""

import re
from collections.abc import Awaitable, Callable, Sequence
from io import BytesIO

import pytest
from PIL import Image

from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.stage import Stage
from snellen.tasks.environments.survey import LONGEST, Node, marked, names, tree_text

OpenPage = Callable[..., Awaitable[Stage]]

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def tree(stage: Stage) -> str:
    """Return the tree without the numbers of its refs."""
    nodes = await stage.survey()
    text = tree_text(nodes, names(nodes, "s").refs)
    return re.sub(r"\[ref=e\d+\]", "[ref]", text)


def seen(nodes: Sequence[Node]) -> list[str]:
    return [node.name for node in nodes if node.box]


async def test_the_tree_has_roles_names_values_and_states(open_page: OpenPage) -> None:
    stage = await open_page(
        """<style>.dot::before { content: "x" }</style><main><h2 class=dot>A "title"</h2>
        <p>It says “<b>this </b>”.</p><div>one</div><div>two<br>three</div>
        <button disabled>Send</button><button aria-expanded=true aria-pressed=true>More</button>
        <label><input type=checkbox checked>Wrap</label><input aria-label=Word value="a  word">
        <input type=checkbox aria-label=Some id=some><textarea autofocus></textarea>
        <select aria-label=Size><option>S<option selected>M</select>
        <div role=tab aria-selected=true>Tab<i>!</i></div><div aria-label=Nothing></div>
        <ul><li>item <a href=/two>two</a></ul></main>
        <script>some.indeterminate = true</script>"""
    )
    assert await tree(stage) == "\n".join(
        [
            "- main:",
            '  - heading "xA \\"title\\"" [level=2]',
            "  - paragraph: It says “this ”.",
            "  - text: one two three",
            '  - button "Send" [disabled] [ref]',
            '  - button "More" [expanded] [pressed] [ref]',
            "  - generic [ref]:",
            '    - checkbox "Wrap" [checked] [ref]',
            '  - textbox "Word" [ref]: a word',
            '  - checkbox "Some" [checked=mixed] [ref]',
            "  - textbox [active] [ref]",
            '  - combobox "Size" [ref]: M',
            '    - option "S" [ref]',
            '    - option "M" [selected] [ref]',
            '  - tab "Tab!" [selected] [ref]',
            '  - generic "Nothing"',
            "  - list:",
            "    - listitem:",
            "      - text: item",
            '      - link "two" [ref]',
        ]
    )


LISTENING = """<div id=box style="width:80px;height:40px">box</div><svg width=40 height=40>
<circle cx=20 cy=20 r=10></circle></svg><script>
hits = []; for (const each of [box, document.querySelector("circle"), document, document.body])
  each.addEventListener("click", (event) => hits.push(event.target.tagName));
</script>"""


async def test_what_listens_to_clicks_can_be_clicked_and_the_page_itself_can_not(
    open_page: OpenPage,
) -> None:
    stage = await open_page(LISTENING)
    refs = names(await stage.survey(), "s").refs
    assert len(refs) == 2
    for element in refs.values():
        await stage.act(Input(InputKind.CLICK, element=element))
    assert await stage.run("() => new Set(hits).size + hits[0] + hits.at(-1)") == "2DIVcircle"


COVERED = """<button style="position:absolute;left:120px;top:0">covered</button>
<div style="position:absolute;inset:0 0 0 100px;background:#ccc"></div>
<button style="visibility:hidden">hidden</button><button style="margin-top:400px">below</button>
<div style="position:absolute;left:0;top:60px;width:90px;height:30px;overflow:auto">
<button style="height:20px">first</button><br><button style="margin-top:80px">last</button></div>
<button disabled style="position:absolute;left:0;top:0">off</button>"""


async def test_only_what_is_seen_and_works_has_a_mark(open_page: OpenPage) -> None:
    stage = await open_page(COVERED)
    nodes = await stage.survey()
    assert seen(nodes) == ["first", "off"]
    assert [len(ids) for ids in names(nodes, "s")] == [1, 5]
    # A dialog is above all else.
    await stage.run(
        """() => { const top = document.createElement("dialog"); top.style.inset = 0;
        top.innerHTML = "<button>inside"; document.body.append(top); top.showModal(); }"""
    )
    assert seen(await stage.survey()) == ["inside"]


async def test_a_ref_works_where_a_list_must_scroll_to_it(open_page: OpenPage) -> None:
    stage = await open_page(COVERED + "<script>onclick = (event) => hit = event.target</script>")
    nodes = await stage.survey()
    (last,) = [node for node in nodes if node.name == "last" and node.clickable]
    assert last.box is None
    await stage.act(Input(InputKind.CLICK, element=last.element))
    assert await stage.run("() => hit.textContent") == "last"
    assert "last" in seen(await stage.survey())


async def test_ids_of_a_seed_are_equal_and_of_another_differ(open_page: OpenPage) -> None:
    page = "".join(f"<button>{number}</button>" for number in range(12))
    nodes = [await (await open_page(page)).survey() for _ in range(2)]
    first, again, other = names(nodes[0], "a"), names(nodes[1], "a"), names(nodes[0], "b")
    assert first == again
    assert first.marks != other.marks
    assert first.refs.keys() != other.refs.keys()
    assert sorted(first.marks, key=int) == [str(number) for number in range(1, 13)]
    assert all(1 <= int(ref[1:]) < 210 for ref in first.refs)


async def test_a_survey_lets_no_time_pass_and_changes_nothing(open_page: OpenPage) -> None:
    clock = "<button>a</button><script>ticks = 0; setInterval(() => ticks++, 20)</script>"
    stage = await open_page(clock, time="stepped")
    look = "() => [ticks, Date.now(), scrollY, document.documentElement.outerHTML]"
    before = await stage.run(look)
    await stage.survey()
    assert await stage.run(look) == before


async def test_a_long_tree_is_cut_and_says_so(open_page: OpenPage) -> None:
    stage = await open_page("".join(f"<p>{number}{'x' * 90}</p>" for number in range(400)))
    text = await tree(stage)
    *lines, last = text.splitlines()
    assert len(text) <= LONGEST
    assert last.startswith("- text: the tree is longer than 20,000 characters")
    assert f"its last {400 - len(lines)} lines" in last


async def test_marks_are_drawn_beside_what_they_name(open_page: OpenPage) -> None:
    field = "<button style='display:block;margin:20px;width:90px;height:24px;background:#fff'>"
    stage = await open_page(f"<body style='background:#fff'>{field * 2}")
    nodes, shot = await stage.survey(), await stage.shot()
    png = marked(shot, nodes, names(nodes, "s").marks, 2)
    image, clean = (Image.open(BytesIO(each)).convert("RGB") for each in (png, shot))
    assert (image.size, image.format) == (clean.size, None)
    colors: set[object] = set()
    for left, top, right, bottom in (node.box for node in nodes if node.box):
        inner = (left + 4, top + 4, right - 4, bottom - 4)
        assert image.crop(inner).tobytes() == clean.crop(inner).tobytes()
        colors.add(image.getpixel((round((left + right) / 2), round(bottom) - 1)))
    assert len(colors) == 2

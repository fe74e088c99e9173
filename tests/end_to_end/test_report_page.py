"""The HTML report in a headless Chromium: it opens, filters, obeys the keyboard and prints."""

from pathlib import Path

import pytest

from dpaudit.report.formats import LINT_FORMATS, render
from tests import browser as chromium
from tests.browser import ENTER, SPACE, TAB
from tests.stored_runs import declared, hostile, linted

pytestmark = pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = chromium.Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def show(browser, tmp_path):
    """Open a page at a size, and look at its console when the test has passed."""

    def opened(text, *, width=1200, scheme="light"):
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        browser.resize(width, 900)
        browser.scheme(scheme)
        browser.open((tmp_path / "page.html").as_uri())
        return browser

    yield opened
    assert browser.said() == []


@pytest.fixture
def page(show):
    return show(render(declared(), "html"))


def rows(page):
    """Names of the audits that are shown, in the table and below it."""
    table = page.run(
        "return [...document.querySelectorAll('#overview tbody tr')]"
        ".filter(r => r.offsetParent).map(r => r.querySelector('a').textContent)"
    )
    below = page.run(
        "return [...document.querySelectorAll('article')]"
        ".filter(a => a.offsetParent).map(a => a.querySelector('.name').textContent)"
    )
    assert sorted(name.split("::")[-1] for name in below) == sorted(table)
    return table


def focused(page):
    return page.run(
        "const e = document.activeElement;"
        "return e.id || e.getAttribute('href') || e.textContent.trim()"
    )


def test_page_opens_with_what_went_wrong_first_and_loads_nothing(page):
    assert rows(page) == ["leak", "missed", "dead", "known", "fine"]
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    assert page.run("return document.querySelector('#filters').hidden") is False


def test_search_keeps_what_has_all_words(page):
    page.run("document.getElementById('search').focus()")
    page.press(*"SHOP leak")
    assert rows(page) == ["leak"]
    assert page.run("return document.getElementById('shown').value") == "1 of 5 shown"
    page.press(*" x y z")
    assert rows(page) == []
    assert page.run("return document.getElementById('nothing').offsetParent !== null")


def test_filters_combine_and_are_cleared(page):
    press = "[...document.querySelectorAll('.chip')].find(c => c.dataset.value === arguments[0])"
    page.run(f"{press}.click()", "REFUTED")
    assert rows(page) == ["leak", "known"]
    page.run(f"{press}.click()", "ok")
    assert rows(page) == ["known"]
    page.run(f"{press}.click()", "ok")
    page.run(f"{press}.click()", "NOT REFUTED")
    assert rows(page) == ["leak", "missed", "known", "fine"]
    page.run(
        "const k = document.getElementById('kind'); k.value = 'DPA103';"
        "k.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert rows(page) == ["leak", "known"]
    page.run("document.querySelector('button[type=reset]').click()")
    page.run("return new Promise(done => setTimeout(done, 20))")
    assert len(rows(page)) == 5


def test_columns_sort_by_number_and_back(page):
    def click(title):
        page.run(
            "[...document.querySelectorAll('th button')]"
            ".find(b => b.textContent === arguments[0]).click()",
            title,
        )

    click("ε at least")
    assert rows(page) == ["missed", "fine", "leak", "known", "dead"]
    click("ε at least")
    assert rows(page) == ["dead", "leak", "known", "missed", "fine"]
    assert (
        page.run("return document.querySelector('th[aria-sort]').getAttribute('aria-sort')")
        == "descending"
    )


def test_everything_is_reached_by_the_keyboard(page):
    page.press("/")
    assert focused(page) == "search"
    page.press(TAB)
    assert focused(page).startswith("UNEXPECTED")
    page.press(SPACE)
    assert rows(page) == ["leak", "missed"]
    page.press(SPACE)
    seen = []
    for _ in range(60):
        page.press(TAB)
        seen.append(focused(page))
        if seen[-1] == "#audit-1":
            break
    assert seen[-1] == "#audit-1"
    assert {"kind", "Clear", "audit", "outcome"} <= set(seen)
    page.press(ENTER)
    assert page.run("return location.hash") == "#audit-1"
    top = page.run("return document.getElementById('audit-1').getBoundingClientRect().top")
    filters = page.run("return document.getElementById('filters').getBoundingClientRect().bottom")
    assert filters <= top + 1 < 900


def test_link_to_an_audit_that_is_filtered_out_shows_it(page):
    page.run("document.getElementById('search').focus()")
    page.press(*"fine")
    assert rows(page) == ["fine"]
    page.run("location.hash = '#audit-1'")
    page.run("return new Promise(done => setTimeout(done, 50))")
    assert len(rows(page)) == 5


def test_audit_shows_finding_witness_curves_ledger_and_coverage(page):
    text = page.run("return document.getElementById('audit-1').innerText")
    for part in (
        "DPA103 leaked-local-sensitivity",
        "shop/release.py:12",
        "Witness",
        "output > 1.5",
        "900 of 1,000",
        "Trade-off against the claim",
        "Privacy profile against the claim",
        "Evidence against calls",
        "What would have been detected",
        "Error probability",
        "Assumptions",
        "dpaudit run audits/shop.py::leak --seed 7",
    ):
        assert part in text, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(show, scheme):
    """WCAG 2.1 asks for 4.5 between text and what is behind it."""
    page = show(render(declared(), "html"), scheme=scheme)
    worst = page.run(
        """
        const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        const parts = c => c.match(/[\\d.]+/g).map(Number);
        const luminance = c => {
          const [r, g, b] = parts(c).map(channel);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const behind = e => {
          for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            const alpha = parts(c)[3];
            if (alpha === undefined || alpha > 0.99) return c;
          }
          return 'rgb(255, 255, 255)';
        };
        let worst = [99, ''];
        for (const e of document.querySelectorAll('body *:not(script):not(option)')) {
          const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
          if (!own || !e.checkVisibility()) continue;
          const style = getComputedStyle(e);
          const color = e.ownerSVGElement || e.tagName === 'svg' ? style.fill : style.color;
          const [a, b] = [luminance(color), luminance(behind(e))].sort((x, y) => y - x);
          const ratio = (a + 0.05) / (b + 0.05);
          if (ratio < worst[0]) worst = [ratio, e.className + ': ' + e.textContent.slice(0, 40)];
        }
        return worst;
        """
    )
    assert worst[0] >= 4.5, worst


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("made", ["run", "lint"])
def test_axe_finds_no_barrier(show, made, scheme):
    """Names of controls, order of headings, landmarks, roles, contrast: with every part open."""
    axe = pytest.importorskip("axe_core_python", reason="make builds .venv with axe-core-python")
    text = render(declared(), "html") if made == "run" else LINT_FORMATS["html"](linted("a scale"))
    page = show(text, scheme=scheme)
    page.run(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.run(
        "document.querySelectorAll('details').forEach(part => part.open = true);"
        "return axe.run(document).then(ran => [ran.passes.length, ran.violations.map("
        "barrier => [barrier.id, barrier.nodes.slice(0, 3).map(node => node.html)])])"
    )
    assert found[0] > 15
    assert found[1] == []


@pytest.mark.parametrize("width", [360, 800])
def test_narrow_page_does_not_scroll_sideways(show, width):
    page = show(render(declared(), "html"), width=width)
    assert page.run("return document.documentElement.scrollWidth") <= width


def test_page_prints_every_audit_and_no_filters(page):
    pdf = page.printed()
    assert pdf.startswith(b"%PDF")
    page.devtools("Emulation.setEmulatedMedia", {"media": "print"})
    assert page.run("return getComputedStyle(document.getElementById('filters')).display") == "none"
    page.devtools("Emulation.setEmulatedMedia", {"media": ""})


def test_hostile_texts_run_nothing_and_make_no_element(show):
    page = show(render(hostile(), "html"))
    assert page.run("return document.querySelectorAll('img').length") == 0
    assert page.run("return document.scripts.length") == 1
    assert page.run("return document.querySelectorAll('a[href^=http], [onerror]').length") == 0
    assert "<script>alert(1)</script>" in page.run("return document.body.textContent")
    assert "\x1b" not in page.run("return document.body.textContent")


@pytest.mark.parametrize("message", ["the scale is computed", "<img src=x onerror=alert(1)>"])
def test_page_of_the_linter_opens(show, message):
    page = show(LINT_FORMATS["html"](linted(message)))
    assert page.run("return document.querySelectorAll('article').length") == 4
    assert page.run("return document.querySelectorAll('img').length") == 0

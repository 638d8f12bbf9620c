#!/usr/bin/python3
"""build-docs.py PROGRAM DOCS OUT: the HTML manual from docs/*.md, into OUT/html; what it was made from lies in OUT/md.

Lines of a page that are replaced, each by what the command says:
  <!-- insert: scree ... -->               its output, as Markdown
  <!-- insert: scree ... columns: a, b --> of a table only these columns
  <!-- output: scree ... -->               its output in a code block
  <!-- figure: scree ... --plot F.svg -->  the picture it draws
  <!-- verbs: the others -->               the help of the verbs that the page does not show
  <!-- bounds: FOLDER -->                  within what the peers must agree, from their benchmark's table of cases
A code block marked `formula` is set as one; ^{...} and _{...} are exponents and indices there and in the text. Man pages
are taken from OUT/man where they were built. Everything is plain HTML and one style sheet."""
import html
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

# file, title in the navigation, heading level down to which the page's own contents are listed
PAGES = [
    ("index", "Overview", 2),
    ("hello", "First steps", 2),
    ("laws", "The laws", 3),
    ("theory", "Theory", 2),
    ("engine", "The engine", 2),
    ("performance", "Performance", 2),
    ("scenes", "Scenes", 2),
    ("examples", "Examples", 2),
    ("cli", "The command", 2),
    ("man", "Man pages", 2),
]


def run(arguments, text=None):
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"build-docs: {' '.join(map(str, arguments))} failed: {done.stderr.strip()}")
    return done.stdout


def draw(program, words, folder):
    """Runs a command that ends in --plot NAME.svg; the picture alone stays in the folder."""
    picture = pathlib.Path(words[-1])
    run([program, *words[1:-1], folder / picture])
    for ending in (".csv", ".gp"):
        (folder / picture.with_suffix(ending)).unlink(missing_ok=True)
    return f"![{html.escape(' '.join(words[:3]))}]({picture})"


def other_verbs(text, program):
    """A section for each verb whose help the page does not show."""
    names = [line.split("\t")[0] for line in run([program, "__complete", ""]).splitlines()]
    missing = [name for name in names if f"<!-- output: scree {name} --help -->" not in text]
    sections = "\n\n".join(f"## scree {name}\n\n<!-- output: scree {name} --help -->" for name in missing)
    return text.replace("<!-- verbs: the others -->", sections)


def columns(table, wanted):
    """Some columns of a Markdown table, by their headings."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()]
    places = [[cell.strip() for cell in rows[0]].index(name) for name in wanted]
    return "\n".join("|" + "|".join(row[i] for i in places) + "|" for row in rows)


def bounds(folder):
    """Within what the peers must agree with scree, from the benchmark's own table of cases."""
    sys.path.insert(0, str(folder.resolve()))
    import cases  # of bench/peers
    rows = ["| case | contacts per particle | mean overlap | kinetic energy: translation | rotation | why |",
            "|---|---|---|---|---|---|"]
    for case in cases.CASES:
        b = case.bounds
        values = [b.contacts, b.overlap, b.translation, b.rotation]
        shown = [f"{100 * value:g} %" for value in values]
        if b.rest:
            shown[2:] = ["at rest"] * 2
        rows.append("| " + " | ".join([case.title, *shown, b.why]) + " |")
    return "\n".join(rows)


def take_pictures(text, docs, folder):
    """Pictures that lie outside of docs/ are copied beside the page."""
    def take(match):
        shutil.copy(docs / match[1], folder)
        return f"]({pathlib.Path(match[1]).name})"

    return re.sub(r"\]\((\.\./[^)]*\.svg)\)", take, text)


def expand(text, program, docs, folder):
    text = other_verbs(text, program)
    text = re.sub(r"^<!-- bounds: (.*?) -->$", lambda match: bounds(docs / match[1]), text, flags=re.M)
    text = take_pictures(text, docs, folder)

    def replace(match):
        words = shlex.split(match[2])
        if words[0] != "scree":
            sys.exit(f"build-docs: only scree may be run, not {words[0]}")
        if match[1] == "figure":
            return draw(program, words, folder)
        output = run([program, *words[1:]]).rstrip("\n")
        if match[3]:
            output = columns(output, match[3].split(", "))
        return output if match[1] == "insert" else f"```\n{output}\n```"

    return re.sub(r"^<!-- (insert|output|figure): (.*?)(?: columns: (.*))? -->$", replace, text, flags=re.M)


def scripts(text):
    """Exponents and indices in braces; the text is HTML already."""
    for mark, tag in (("^", "sup"), ("_", "sub")):
        text = re.sub(re.escape(mark) + r"\{([^{}]*)\}", rf"<{tag}>\1</{tag}>", text)
    return text


def formula(text):
    """A formula as the catalogue writes it: powers without braces, sqrt and pi in letters."""
    text = re.sub(r"\bsqrt\(", "√(", re.sub(r"\bpi\b", "π", scripts(text).replace("&lt;=", "≤")))
    out, rest = "", text
    while "^" in rest:
        before, rest = rest.split("^", 1)
        length, depth = 0, 0
        if rest.startswith("("):  # up to the parenthesis that closes it, which then is not needed
            for length, letter in enumerate(rest, 1):
                depth += (letter == "(") - (letter == ")")
                if depth == 0:
                    break
            power, rest = rest[1 : length - 1], rest[length:]
        else:
            power = re.match(r"-?[\w.]*", rest)[0].rstrip(".")
            rest = rest[len(power) :]
        out += f"{before}<sup>{power}</sup>"
    return out + rest


def outside_code(body, change):
    """Applies a change to everything but code."""
    parts = re.split(r"(<pre>.*?</pre>|<code.*?</code>|<div class=\"formula\">.*?</div>)", body, flags=re.S)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def identifier(heading, taken):
    plain = html.unescape(re.sub(r"<.*?>", "", heading))
    base = re.sub(r"[^\w]+", "-", plain.lower()).strip("-")
    name, count = base, 2
    while name in taken:
        name, count = f"{base}-{count}", count + 1
    taken.add(name)
    return name


def dress(body, depth, laws):
    """Headings get anchors, formulas their form, laws and pages their links; returns the body and its contents."""
    taken, contents = set(), []

    def heading(match):
        level, text = int(match[1]), match[2]
        name = identifier(text, taken)
        if 2 <= level <= depth:
            contents.append((level, name, text))
        return f'<h{level} id="{name}">{text}<a class="anchor" href="#{name}" aria-label="link to this">#</a></h{level}>'

    body = re.sub(r"<h([1-4])>(.*?)</h\1>", heading, body, flags=re.S)
    body = re.sub(
        r'<pre><code class="language-formula">(.*?)</code></pre>',
        lambda m: f'<div class="formula">{formula(m[1].rstrip())}</div>',
        body,
        flags=re.S,
    )
    body = outside_code(body, scripts)
    body = re.sub(
        r"<code>(\w+)</code>",
        lambda m: f'<a href="laws.html#{m[1]}">{m[0]}</a>' if m[1] in laws else m[0],
        body,
    )
    body = re.sub(r'href="([a-z-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    body = re.sub(r"<table>.*?</table>", lambda m: f'<div class="table">{m[0]}</div>', body, flags=re.S)
    return body, contents


def navigation(current, contents):
    lines = ["<ul>"]
    for name, title, _ in PAGES:
        here = ' class="here"' if name == current else ""
        lines.append(f'<li{here}><a href="{name}.html">{title}</a>')
        if name == current and contents:
            lines.append('<ul class="contents">')
            lines += [f'<li class="level{level}"><a href="#{n}">{text}</a></li>' for level, n, text in contents]
            lines.append("</ul>")
        lines.append("</li>")
    return "\n".join(lines + ["</ul>"])


def write(path, current, title, body, contents, version):
    path.write_text(
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)} - scree</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav>
<p class="name"><a href="index.html">scree</a> <span>{html.escape(version)}</span></p>
{navigation(current, contents)}
</nav>
<main>
{body}
</main>
</body>
</html>
"""
    )


def man_index(folder):
    """The man pages' list as Markdown, from their NAME lines."""
    pages = sorted(folder.glob("*.1")) if folder.is_dir() else []
    if not pages:
        return "# Man pages\n\nNone were built: help2man was not installed.\n", []
    rows = []
    for page in pages:
        line = re.search(r"^\.SH NAME\n(.*)$", page.read_text(), flags=re.M)[1]
        name, what = line.replace("\\-", "-").split(" - ", 1)
        rows.append(f"| [{name}(1)]({page.stem}.html) | {what} |")
    intro = "# Man pages\n\nAfter `make install`, `man scree` and `man scree-impact` show the same.\n\n"
    return intro + "| page | what it describes |\n|---|---|\n" + "\n".join(rows) + "\n", pages


def main():
    program, docs, out = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
    version = run([program, "--version"]).split()[1]
    laws = {law["id"] for law in json.loads(run([program, "models", "--json"]))}
    man_text, man_pages = man_index(out / "man")
    for folder in (out / "md", out / "html"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for name, title, depth in PAGES:
        text = man_text if name == "man" else expand((docs / f"{name}.md").read_text(), program, docs, out / "html")
        (out / "md" / f"{name}.md").write_text(text)
        body, contents = dress(run(["cmark-gfm", "--unsafe", "-e", "table"], text), depth, laws)
        write(out / "html" / f"{name}.html", name, title, body, contents, version)
    for page in man_pages:
        if not shutil.which("mandoc"):
            body = f"<pre>{html.escape(run(['man', '-l', '-Tutf8', str(page)]))}</pre>"
        else:
            body = run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html", str(page)])
        write(out / "html" / f"{page.stem}.html", "man", page.stem, f'<div class="man">{body}</div>', [], version)
    shutil.copy(docs / "style.css", out / "html")
    shutil.copytree(docs / "images", out / "html" / "images")


main()

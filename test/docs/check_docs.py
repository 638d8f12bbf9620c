#!/usr/bin/python3
"""check_docs.py PROGRAM DOCS: every `scree` and `build/scree` command in the sh blocks of README.md and docs/*.md runs, page by page in
an empty folder, and prints what the block after it shows; every key of the JSON contracts in cli.md is there, and no other; every link inside the manual leads somewhere.

In a shown block a line `...` stands for lines left out. Numbers below 1e-12 are rounding and not compared."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, docs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
failures = []


def blocks(text):
    """(language, content) of each fenced block, in order; prose between two breaks the pairing with ('', None)."""
    found, end = [], 0
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        if text[end : match.start()].strip():
            found.append(("prose", None))
        found.append((match[1], match[2]))
        end = match.end()
    return found


def run(command, folder):
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)


def comparable(line):
    line = re.sub(r"-?\d(\.\d+)?e-(1[2-9]|[2-9]\d)\b", "~0", line)
    return re.sub(r"\s+", " ", re.sub(r"(~0|\b0\b)", "~0", line)).strip()


def shows(shown, output):
    """Are the shown lines in the output, in order, next to each other except where `...` stands?"""
    lines = [comparable(line) for line in output.splitlines()]
    at, loose = 0, True
    for line in map(comparable, shown.splitlines()):
        if line == "...":
            loose = True
            continue
        if not line:
            continue
        while at < len(lines) and lines[at] != line and (loose or not lines[at]):
            at += 1
        if at == len(lines) or lines[at] != line:
            return line
        at, loose = at + 1, False
    return None


def check_commands(page, folder):
    waiting = None
    for language, content in blocks(page.read_text()):
        if language == "sh":
            waiting = ""
            for command in re.sub(r"\\\n", " ", content).splitlines():
                if not re.match(r"(build/)?scree( |$)", command.removeprefix("$ ")):
                    continue
                commands.append(command)
                done = run(command.removeprefix("$ ").removeprefix("build/"), folder)
                waiting += done.stdout + done.stderr
                if done.returncode != 0:
                    failures.append(f"{page.name}: {command}: exit status {done.returncode}: {done.stderr.strip()}")
        elif language == "" and content is not None and waiting is not None:
            line = shows(content, waiting)
            if line:
                failures.append(f"{page.name}: shown, but not printed (or elsewhere): {line}")
            waiting = None
        else:
            waiting = None


def check_contracts(page):
    """A table under `keys of COMMAND`: its first column against the object the command prints."""
    printed = {}  # by command: some have two tables
    for command, path, table in re.findall(r"^Keys of `(scree [^`]*)`(?:, `(\w+)`)?:\n\n((?:\|.*\n)+)", page.read_text(), flags=re.M):
        if command not in printed:
            with tempfile.TemporaryDirectory() as folder:
                *before, last = command.split(" && ")
                ready = all(run(words, folder).returncode == 0 for words in before)
                done = run(last, folder)
            printed[command] = json.loads(done.stdout) if ready and done.returncode == 0 else {}
        value = printed[command]
        value = value[0] if isinstance(value, list) else value
        value = value.get(path, {}) if path else value
        value = value[0] if isinstance(value, list) else value
        documented = set()
        for row in table.splitlines()[2:]:
            documented |= set(re.findall(r"`(\w+)`", row.split("|")[1]))
        for key in sorted(set(value) ^ documented):
            failures.append(f"{page.name}: {command}: {key} is {'not documented' if key in value else 'not printed'}")
        contracts.append(command)


def check_links(folder):
    """Built pages only: every href to a page or an anchor of the manual exists."""
    ids = {page.name: set(re.findall(r'\bid="([^"]*)"', page.read_text())) for page in folder.glob("*.html")}
    for page in folder.glob("*.html"):
        for target, anchor in re.findall(r'href="([^":#]*)(?:#([^"]*))?"', page.read_text()):
            target = target or page.name
            if not (folder / target).exists() or (anchor and anchor not in ids[target]):
                failures.append(f"{page.name}: a link leads nowhere: {target}#{anchor}")


contracts, commands = [], []
for page in [docs.parent / "README.md", *sorted(docs.glob("*.md"))]:
    before = len(commands)
    with tempfile.TemporaryDirectory() as folder:
        check_commands(page, folder)
    if page.name == "README.md" and len(commands) == before:
        failures.append("README.md has no scree commands in its sh blocks")
check_contracts(docs / "cli.md")
built = program.parent / "docs" / "html"
if built.is_dir():
    check_links(built)
if not contracts:
    failures.append("cli.md documents no JSON")
for failure in failures:
    print(f"FAILED: {failure}")
if not failures:
    print(f"the manual's {len(commands)} commands print what it shows; {len(contracts)} JSON contracts hold")
sys.exit(bool(failures))

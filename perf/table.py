#!/usr/bin/env python3
"""Makes a Markdown table of results of bsblas_bench, which may lie in several files of one commit and device.

    table.py RESULTS.json... --rows op,opa,type --columns block --value share_of_dense [--where KEY=VALUE[,VALUE]]...
    table.py ... --value over:cusparse_bsr           that peer's time over ours
    table.py ... --value over_read:4.3,3             our time over that of reading A at 4.3 TB/s and 3 us more
    table.py ... --into README.md --name host        replaces what stands between <!-- table:host --> and <!-- /table -->

Each cell is the median of what falls into it. Needs nothing but Python.
"""
import argparse
import json
import pathlib
import re
import statistics
import sys


def text_of(value) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def matches(entry: dict, conditions: list[str]) -> bool:
    for condition in conditions:
        key, _, wanted = condition.partition("=")
        if key not in entry:
            sys.exit(f"table.py: no result has the key {key}")
        if text_of(entry[key]) not in wanted.split(","):
            return False
    return True


def value_of(entry: dict, value: str):
    kind, _, given = value.partition(":")
    if kind == "over":
        time = entry["peers"].get(given, {}).get("time_us")
        return None if time is None else time / entry["time_us"]
    if kind == "over_read":
        terabytes_per_second, more_us = map(float, given.split(","))
        return entry["time_us"] / (entry["stored_bytes"] / terabytes_per_second * 1e-6 + more_us)
    return entry[value]


def meaning_of(value: str) -> str:
    kind, _, given = value.partition(":")
    if kind == "over":
        return f"{given}'s time over ours"
    if kind == "over_read":
        return "time over that of reading A at {} TB/s and {} us more".format(*given.split(","))
    return value


def read(files: list[pathlib.Path]) -> dict:
    results = [json.loads(file.read_text()) for file in files]
    for key in "commit", "device":
        found = {result["context"][key] for result in results}
        if len(found) > 1:
            sys.exit(f"table.py: results of more than one {key}: {', '.join(sorted(found))}")
    return {"context": results[0]["context"], "benchmarks": [e for r in results for e in r["benchmarks"]]}


def markdown(results: dict, rows: list[str], columns: str, value: str, conditions: list[str]) -> str:
    entries = [e for e in results["benchmarks"] if "op" in e and not e.get("error_occurred") and matches(e, conditions)]
    if not entries:
        sys.exit("table.py: no result matches")
    cells: dict[tuple, dict] = {}
    for entry in entries:
        row = cells.setdefault(tuple(text_of(entry[key]) for key in rows), {})
        row.setdefault(entry[columns], []).append(value_of(entry, value))
    headings = list(dict.fromkeys(entry[columns] for entry in entries))
    if all(isinstance(heading, (int, float)) for heading in headings):
        headings.sort()
    lines = [
        "| " + " | ".join(rows + [f"{columns}={text_of(heading)}" for heading in headings]) + " |",
        "|" + "---|" * (len(rows) + len(headings)),
    ]
    for row, found in cells.items():
        texts = list(row)
        for heading in headings:
            known = [v for v in found.get(heading, []) if v is not None]
            texts.append(f"{statistics.median(known):.3g}" if known else "-")
        lines.append("| " + " | ".join(texts) + " |")
    context = results["context"]
    lines += ["", f"{meaning_of(value)}; {context['device']}, commit {context['commit']}."]
    return "\n".join(lines)


def replace_between_markers(path: pathlib.Path, name: str, table: str) -> None:
    begin, end = f"<!-- table:{name} -->", "<!-- /table -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    text, found = re.subn(pattern, lambda _: f"{begin}\n{table}\n{end}", path.read_text(), flags=re.DOTALL)
    if found != 1:
        sys.exit(f"table.py: {path} needs one {begin} with {end} after it")
    path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, nargs="+")
    parser.add_argument("--rows", default="op,opa,type,density")
    parser.add_argument("--columns", default="block")
    parser.add_argument("--value", default="share_of_dense")
    parser.add_argument("--where", action="append", default=[], metavar="KEY=VALUE[,VALUE]")
    parser.add_argument("--into", type=pathlib.Path)
    parser.add_argument("--name")
    options = parser.parse_args()
    table = markdown(read(options.results), options.rows.split(","), options.columns, options.value, options.where)
    if not options.into:
        print(table)
    elif not options.name:
        sys.exit("table.py: --into needs --name")
    else:
        replace_between_markers(options.into, options.name, table)


if __name__ == "__main__":
    main()

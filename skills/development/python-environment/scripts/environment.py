"""Says which Python runs here, in which environment, and what does not fit the project. Changes nothing."""

import os
import re
import shutil
import sys
from importlib import metadata

problems = []
print(f"python: {sys.executable} {sys.version.split()[0]}")
in_venv = sys.prefix != sys.base_prefix
print(f"environment: {sys.prefix if in_venv else 'none (the system or user Python)'}")

local = next((name for name in (".venv", "venv", "env") if os.path.isfile(os.path.join(name, "pyvenv.cfg"))), None)
print(f"environment of the project: {local or 'none'}")
if local and os.path.realpath(local) != os.path.realpath(sys.prefix):
    problems.append(f"this Python is not the one of {local}: run {local}/bin/python")
if not local and not in_venv:
    problems.append("no environment: python3 -m venv .venv")


def version_tuple(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def fits(rule):
    """Whether this version meets a rule such as >=3.9,<4."""
    for part in rule.split(","):
        match = re.match(r"\s*(>=|<=|==|!=|~=|>|<)\s*([\d.]+)(\.\*)?", part)
        if not match:
            continue
        sign, wanted = match.group(1), version_tuple(match.group(2))
        own = sys.version_info[: len(wanted)]
        holds = {
            ">=": own >= wanted,
            "<=": own <= wanted,
            ">": sys.version_info[:3] > wanted,
            "<": sys.version_info[:3] < wanted,
            "==": own == wanted,
            "!=": own != wanted,
            "~=": own >= wanted and own[: max(1, len(wanted) - 1)] == wanted[: max(1, len(wanted) - 1)],
        }[sign]
        if not holds:
            return False
    return True


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


rule = re.search(r"""^\s*requires-python\s*=\s*["']([^"']+)""", read("pyproject.toml"), re.M)
if rule:
    print(f"requires-python: {rule.group(1)}")
    if not fits(rule.group(1)):
        problems.append(f"the project needs Python {rule.group(1)}")
pinned = read(".python-version").split()
if pinned:
    print(f".python-version: {pinned[0]}")
    if version_tuple(pinned[0])[:2] != sys.version_info[:2]:
        problems.append(f".python-version asks for {pinned[0]}")

files = [
    name
    for name in sorted(os.listdir("."))
    if re.match(r"requirements.*\.(txt|in)$", name)
    or name in ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "Pipfile.lock", "poetry.lock", "uv.lock", "environment.yml")
]
print(f"declared in: {', '.join(files) or 'nothing'}")
locks = [name for name in files if name.endswith(".lock")]
if len(locks) > 1:
    problems.append(f"several lock files: {', '.join(locks)}")

try:
    print(f"pip: {metadata.version('pip')}, of this Python")
except metadata.PackageNotFoundError:
    print("pip: not installed for this Python")
other = shutil.which("pip")
if other and os.path.dirname(os.path.realpath(other)) != os.path.dirname(os.path.realpath(sys.executable)):
    print(f"note: the command pip is {other}; use python3 -m pip")
for problem in problems:
    print(f"! {problem}")
print(f"{len(problems)} problems")

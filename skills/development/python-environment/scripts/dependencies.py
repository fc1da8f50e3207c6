"""Compares the imports of a project with its declared dependencies. Changes nothing. Usage: dependencies.py [FOLDER]"""

import ast
import os
import re
import sys

root = sys.argv[1] if len(sys.argv) > 1 else "."
skipped = {".git", ".venv", "venv", "env", "node_modules", "__pycache__", "build", "dist", ".tox", "site-packages"}
# Packages whose import name differs. Others are compared without case, dash and underscore.
import_names = {
    "pyyaml": "yaml",
    "pillow": "pil",
    "beautifulsoup4": "bs4",
    "opencvpython": "cv2",
    "opencvpythonheadless": "cv2",
    "scikitlearn": "sklearn",
    "scikitimage": "skimage",
    "pythondateutil": "dateutil",
    "pythondotenv": "dotenv",
    "pyjwt": "jwt",
    "psycopg2binary": "psycopg2",
    "protobuf": "google",
    "attrs": "attr",
    "pyserial": "serial",
    "gitpython": "git",
    "mysqlclient": "mysqldb",
    "setuptools": "pkgresources",
}


def plain(name):
    return re.sub(r"[-_.]", "", name).lower()


def declared_names():
    names = {}
    for name in sorted(os.listdir(root)):
        path = os.path.join(root, name)
        if re.match(r"requirements.*\.(txt|in)$", name):
            with open(path, encoding="utf-8") as file:
                texts = [line.split("#")[0].strip() for line in file]
        elif name == "pyproject.toml":
            with open(path, encoding="utf-8") as file:
                text = file.read()
            # Lists named `dependencies`, and every list of the optional ones and the groups.
            lists = re.findall(r"""^\s*dependencies\s*=\s*\[((?:[^\]"']|"[^"]*"|'[^']*')*)\]""", text, re.M)
            for section in re.findall(
                r"^\[(?:project\.optional-dependencies|dependency-groups)\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S
            ):
                lists.append(section)
            texts = [each for block in lists for each in re.findall(r"""["']([^"']+)["']""", block)]
            poetry = re.search(r"^\[tool\.poetry(?:\.group\.\w+)?\.dependencies\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S)
            if poetry:
                texts += [line.split("=")[0].strip() for line in poetry.group(1).splitlines() if "=" in line]
        else:
            continue
        for text in texts:
            match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", text)
            if match and match.group(0).lower() != "python":
                names.setdefault(plain(match.group(0)), match.group(0))
    return names


imports = {}
own = set()
for folder, folders, files in os.walk(root):
    folders[:] = [each for each in folders if each not in skipped and not each.startswith(".")]
    own.update(plain(each) for each in folders)
    for name in files:
        if not name.endswith(".py"):
            continue
        own.add(plain(name[:-3]))
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read(), path)
        except (SyntaxError, UnicodeDecodeError) as error:
            print(f"not read: {path}: {error}")
            continue
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = [node.module]
            for module in modules:
                imports.setdefault(module.split(".")[0], f"{os.path.relpath(path, root)}:{node.lineno}")

standard = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))
declared = declared_names()
provided = {import_names.get(name, name) for name in declared}
missing = {
    name: place
    for name, place in sorted(imports.items())
    if name not in standard and plain(name) not in own and plain(name) not in provided and name != "__future__"
}
used = {plain(name) for name in imports}
unused = sorted(real for name, real in declared.items() if import_names.get(name, name) not in used)
print(f"imported and not declared: {len(missing)}")
for name, place in missing.items():
    print(f"  {name} ({place})")
print(f"declared and never imported: {len(unused)}")
for name in unused:
    print(f"  {name}")
sys.exit(1 if missing else 0)

"""one_definition.py SOURCE: no two types of one name in one namespace, over all files of src/ and include/.

Two such types in different files link without a word, and a function of one is then called with the other (one-definition rule).
Types inside functions, inside types and in unnamed namespaces cannot clash and are left out. This reads the text only;
scripts/odr asks the compiler about whole types and inline functions, which takes a build.
"""
import collections
import pathlib
import re
import sys

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
RAW_TEXTS = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
TEXTS = re.compile(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'')
NAMESPACE = re.compile(r"namespace\s*([\w:]*?)(?:::inline\s+\w+)?\s*$")  # a room is inline: its names are those of stickslip, too
TYPE = re.compile(r"(?:struct|class|enum|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)(?:\s*final)?\s*(?::[^:].*)?$", re.S)


def types_of(text):
    """The full names of the types that are defined at namespace scope."""
    text = TEXTS.sub('""', RAW_TEXTS.sub('""', COMMENTS.sub("", text)))
    scopes, before = [], ""
    for character in text:
        if character == "{":
            space, kind = NAMESPACE.search(before), TYPE.search(before)
            if space:
                scopes.append(space.group(1) or "(unnamed)")
            else:
                if kind and None not in scopes and "(unnamed)" not in scopes:
                    yield "::".join([*scopes, kind.group(1)])
                scopes.append(None)
            before = ""
        elif character == "}":
            if scopes:
                scopes.pop()
            before = ""
        elif character == ";":
            before = ""
        else:
            before += character


def main(source):
    places = collections.defaultdict(list)
    for folder in ("src", "include"):
        for file in sorted((source / folder).rglob("*.[ch]pp")):
            for name in types_of(file.read_text(encoding="utf-8")):
                places[name].append(str(file.relative_to(source)))
    if len(places) < 300:
        sys.exit(f"only {len(places)} types found: the reading is broken")
    twice = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(twice.items()):
        print(f"{name} is defined in {', '.join(files)}; give one of them another name, or an unnamed namespace")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

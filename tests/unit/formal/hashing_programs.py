"""Local randomizers that hash a text, and report the hash by randomized response."""

import binascii
import math
import random
import zlib


def report(bit, keep):
    return bit if random.random() < keep else 1 - bit


def bloom(word, keep=0.75):
    bits = [0] * 4
    for seed in range(2):
        bits[zlib.crc32(word.encode(), seed) % 4] = 1
    return [report(bit, keep) for bit in bits]


def bucket(word, epsilon=1.0):
    """Return the bucket of a word, or another one of four."""
    key = zlib.adler32(word.encode("utf-8")) % 4
    if random.random() < math.exp(epsilon) / (math.exp(epsilon) + 3):
        return key
    other = random.randint(0, 2)
    return other if other < key else other + 1


def sign(word):
    return report(binascii.crc32(word.encode()) % 2, 0.75)


def plain(word):
    return [zlib.crc32(word.encode()) % 4, report(0, 0.75)]

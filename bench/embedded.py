#!/usr/bin/env python3
"""The embedded model beside llama.cpp's server: the same file, the same machine, the same minutes, in turn.

    bench/embedded.py FILE.gguf LLAMA_SERVER SPEED [ROUNDS]

SPEED is the example `speed` of `graphloom-llm-embedded`, built with `--release`. Both use all processors. Prints what each
reads and writes in tokens a second, as medians over the rounds, and the ratios of the medians.
"""
import json
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request


def ask(port, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def server(program, model):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--model", model, "--host", "127.0.0.1", "--port", str(port), "--ctx-size", "4096"]
    command += ["--threads", str(os.cpu_count()), "--parallel", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            ask(port, "/health")
            return process, port
        except OSError:
            time.sleep(0.2)
    process.kill()
    sys.exit("llama-server does not answer")


def text(seed, words):
    word = lambda at: ["sea", "light", "tower", "stone", "wind", "ship"][(at * 7 + seed) % 6] + str(at % 10)
    return f"{seed}. Tell a story with these words: " + " ".join(word(at) for at in range(seed, seed + words))


def theirs(port, seed):
    prompt = f"<|im_start|>user\n{text(seed, 160)}<|im_end|>\n<|im_start|>assistant\n"
    body = {"prompt": prompt, "n_predict": 100, "temperature": 0.7, "seed": seed, "cache_prompt": False, "ignore_eos": True}
    timings = ask(port, "/completion", body)["timings"]
    return timings["prompt_per_second"], timings["predicted_per_second"]


def main():
    model, program, speed = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    own_reading, own_writing, reading, writing = [], [], [], []
    memory, tokens = 0, 0
    process, port = server(program, model)
    try:
        theirs(port, 1)
        for turn in range(rounds):
            own = json.loads(subprocess.run([speed, model, "2"], check=True, capture_output=True, text=True).stdout)
            own_reading += own["reading"]
            own_writing += own["writing"]
            memory, tokens = max(memory, own["memory"]), own["tokens"]
            for seed in (2 * turn + 1, 2 * turn + 2):
                read, written = theirs(port, seed)
                reading.append(read)
                writing.append(written)
    finally:
        process.kill()
        process.wait()
    size = os.path.getsize(model)
    for what, own, other, bar in (("reading", own_reading, reading, 0.7), ("writing", own_writing, writing, 0.9)):
        here, there = statistics.median(own), statistics.median(other)
        ratio = here / there
        print(f"{what}: {here:.0f} tokens/s here, {there:.0f} with llama.cpp, ratio {ratio:.2f} (bar {bar})")
    print(f"memory at {tokens} tokens: {memory / 1e6:.0f} MB, {memory / size:.2f} of the file (bar 1.3)")


if __name__ == "__main__":
    main()

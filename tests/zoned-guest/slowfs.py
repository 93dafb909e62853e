#!/usr/bin/env python3
# slowfs - a FUSE file system of a few sparse files whose operations take a known
# time, to put loop devices with a known discard, write or read delay on.
#   slowfs.py MOUNTPOINT COUNT SIZE_MIB [discard=MS] [write=MS] [read=MS] [fsync=MS]
#             [dir=DIR] [log=FILE] [together=N]
# dir= keeps the files in a folder, so that their holes can be looked at; log= gets a
# line for every request; with together= no discard ends before N have begun, and one
# that waits for a minute fails: who discards one after another does not get on.
# Runs in the foreground until unmounted.  Speaks the kernel protocol on /dev/fuse
# itself: no libfuse.  Each request is handled in its own thread, so delays of
# different files (and of one file, if the kernel asks in parallel) overlap.
import ctypes, errno, os, struct, sys, tempfile, threading, time

mnt, count, mib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
delay = {"discard": 0.0, "write": 0.0, "read": 0.0, "fsync": 0.0}
log = folder = together = None
for a in sys.argv[4:]:
    k, v = a.split("=", 1)
    if k == "log":
        log = open(v, "w")
    elif k == "dir":
        folder = v
    elif k == "together":
        together = threading.Barrier(int(v), timeout=60)
    else:
        delay[k] = float(v) / 1000
size = mib << 20
back = [open(os.path.join(folder, f"f{i}"), "w+b") if folder else tempfile.TemporaryFile() for i in range(count)]
for b in back:
    b.truncate(size)
fuse = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
opts = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
if libc.mount(b"slowfs", mnt.encode(), b"fuse.slowfs", 6, opts):
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")

def attr(node):
    if node == 1:
        return struct.pack("<QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
    st = os.fstat(back[node - 2].fileno())
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, st.st_blocks, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, 4096, 0)

def handle(op, node, body):
    """The payload of the answer, or a negative errno."""
    if op == 26:        # INIT
        major, minor, ra, flags = struct.unpack_from("<IIII", body)
        keep = flags & (1 << 0 | 1 << 5 | 1 << 13)   # async read, big writes, async dio
        return struct.pack("<IIIIHHIIHHIIII", 7, 31, 1 << 20, keep, 64, 48, 1 << 20, 1, 256, 0, 0, 0, 0, 0) + bytes(16)
    if op == 1:         # LOOKUP
        name = body.rstrip(b"\0").decode()
        if name.startswith("f") and name[1:].isdigit() and int(name[1:]) < count:
            n = 2 + int(name[1:])
            return struct.pack("<QQQQII", n, 0, 3600, 3600, 0, 0) + attr(n)
        return -errno.ENOENT
    if op in (3, 4):    # GETATTR, SETATTR
        return struct.pack("<QII", 3600, 0, 0) + attr(node)
    if op in (14, 27):  # OPEN, OPENDIR
        return struct.pack("<QII", 0, 0, 0)
    if op == 28:  # READDIR
        off = struct.unpack_from("<QQ", body)[1]
        out = b""
        for i in range(off, count):
            n = f"f{i}".encode()
            out += struct.pack("<QQII", 2 + i, i + 1, len(n), 8) + n + bytes(-len(n) % 8)
        return out[:4096]
    if op == 15:        # READ
        _, off, n = struct.unpack_from("<QQI", body)
        time.sleep(delay["read"])
        return os.pread(back[node - 2].fileno(), n, off)
    if op == 16:        # WRITE
        _, off, n = struct.unpack_from("<QQI", body)
        time.sleep(delay["write"])
        return struct.pack("<II", os.pwrite(back[node - 2].fileno(), body[40:40 + n], off), 0)
    if op == 43:        # FALLOCATE: mode 3 punches a hole
        _, off, n, mode = struct.unpack_from("<QQQI", body)
        time.sleep(delay["discard"])
        if together:
            try:
                together.wait()
            except threading.BrokenBarrierError:
                return -errno.EIO
        if libc.fallocate(back[node - 2].fileno(), mode, ctypes.c_long(off), ctypes.c_long(n)):
            return -ctypes.get_errno()
        return b""
    if op == 20:        # FSYNC
        time.sleep(delay["fsync"])
        return b""
    if op == 17:        # STATFS
        return struct.pack("<QQQQQIIII", 1 << 30, 1 << 30, 1 << 30, 1000, 1000, 4096, 255, 4096, 0) + bytes(24)
    if op in (18, 25, 29, 34, 38, 30):
        return b""
    return -errno.ENOSYS

def serve(data):
    length, op, unique, node = struct.unpack_from("<IIQQ", data)
    if op in (2, 42, 36):       # FORGET, BATCH_FORGET, INTERRUPT: no answer
        return
    t = time.monotonic()
    try:
        r = handle(op, node, data[40:length])
    except OSError as e:
        r = -e.errno
    if log and op in (15, 16, 43, 20):
        a = (0, 0, 0) if op == 20 else struct.unpack_from("<QQQ" if op == 43 else "<QQI", data, 40)
        print(f"{t:.4f} {({15:'read',16:'write',43:'discard',20:'fsync'})[op]} f{node-2} {a[1]}+{a[2]}", file=log, flush=True)
    if isinstance(r, int):
        os.write(fuse, struct.pack("<IiQ", 16, r, unique))
    else:
        os.write(fuse, struct.pack("<IiQ", 16 + len(r), 0, unique) + r)

while True:
    try:
        data = os.read(fuse, (1 << 20) + 8192)
    except OSError as e:
        if e.errno == errno.ENODEV:
            break
        if e.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
            continue
        raise
    threading.Thread(target=serve, args=(data,), daemon=True).start()

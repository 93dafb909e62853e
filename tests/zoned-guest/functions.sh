# What the cases in ../zoned.rs are made of. Sourced in the guest by run-cases, with -euo pipefail.
#
# `on KIND COUNT KEY=VALUE... -- FUNCTION [ARGUMENT]...` makes devices and calls a function; they are gone afterwards.

devices=() options=()
work=$(mktemp -d)
mkdir -p /var/lib/btrfs

on() {
    local kind=$1 count=$2 keys=()
    shift 2
    while [[ $1 != -- ]]; do keys+=("$1"); shift; done
    shift
    trap clean_up EXIT
    case $kind in
    nullb) for ((; count > 0; count--)); do devices+=("$(zg nullb "${keys[@]}")"); done ;;
    scsi) read -ra devices < <(zg scsi n="$count" "${keys[@]}") ;;
    zns) devices=(/dev/nvme?n1) && devices=("${devices[@]:0:count}") ;;
    esac
    "$@"
}

clean_up() {
    local status=$? device
    ! grep -q ' /mnt ' /proc/mounts || umount /mnt
    btrfs device scan --forget >/dev/null 2>&1 || true
    for device in "${devices[@]}"; do
        case $device in
        /dev/sd*) rmmod scsi_debug 2>/dev/null || true ;;
        /dev/nvme*) ;;
        *) zg rm "$device" ;;
        esac
    done
    rm -rf "$work"
    exit $status
}

fail() {
    echo "failed: $*"
    exit 1
}

queue() { cat "/sys/block/${1##*/}/queue/$2"; }

conventional() { blkzone report "$1" | grep -c CONVENTIONAL || true; }

# Bytes that are not zero and look like no signature: DEVICE OFFSET LENGTH.
old_bytes() { head -c "$3" /dev/zero | tr '\0' '\245' | dd of="$1" bs=64K seek="$2" iflag=fullblock oflag=direct,seek_bytes 2>/dev/null; }

# Every zone has old bytes or is full: what an earlier user leaves of a drive.
dirty() {
    local device zone conv first
    for device in "${devices[@]}"; do
        zone=$(queue "$device" chunk_sectors) conv=$(conventional "$device")
        first=$((conv * zone))
        blkzone reset "$device"
        [[ $conv -eq 0 ]] || old_bytes "$device" 0 $((first * 512))
        # One zone is left partly written. Finishing zones that hold nothing makes them full as well, and takes no memory.
        old_bytes "$device" $((first * 512)) 65536
        old_bytes "$device" $(((first + zone) * 512)) 65536
        blkzone finish -o $((first + zone)) -c $(($(queue "$device" nr_zones) - conv - 1)) "$device"
    done
}

# Requests of a kind in what `zg ops` counted: as the block layer traces them.
counted() { awk -v kind="$1" '$2 ~ kind { sum += $1 } END { print sum + 0 }' "$work/counts"; }

# Runs a command with what the devices see meanwhile counted.
counting() {
    zg ops "${devices[@]}" -- sh -c 'log=$1; shift; exec "$@" >"$log" 2>&1' - "$work/said" "$@" 2>"$work/counts" || {
        cat "$work/said"
        fail "$1 ended with $?"
    }
    echo "$1: $(tr -s ' \n' '  ' <"$work/counts")"
}

reset_one_by_one() { counted '^ZR[^A]*$'; }
reset_all() { counted '^ZRA'; }

# Plans for the devices as they are, which must change nothing on them, and executes the plan.
plan_and_execute() {
    counting btrfs-plan -q "$@" -o "$work/plan.json" "${devices[@]}"
    [[ $(counted '[WDZ]') -eq 0 ]] || fail "planning changed a device"
    counting btrfs-exec --yes --verify "$work/plan.json"
}

# Every zone is dirty, and one request a device resets them; then the filesystem is used. The installed mkfs.btrfs comes
# first, where it can: a kernel that does not mount its filesystems says nothing about ours.
make_and_use() {
    options=("$@")
    dirty
    if counting_reference; then mount_it; else echo "mkfs.btrfs refuses this: $(tail -n1 "$work/said")"; fi
    dirty
    dmesg -c >/dev/null
    plan_and_execute -f "${options[@]}"
    [[ $(reset_all) -eq ${#devices[@]} && $(reset_one_by_one) -eq 0 ]] || fail "not one reset a device"
    use_it
    check
    kernel_log
}

mount_it() { mount -t btrfs "${devices[0]}" /mnt && umount /mnt; }

counting_reference() { (counting mkfs.btrfs -q -f -O zoned "${options[@]}" "${devices[@]}" >"$work/mkfs") && cat "$work/mkfs"; }

# Files are written, there is a scrub, and after another mount they are what they were.
use_it() {
    local number
    mount -t btrfs "${devices[0]}" /mnt
    for number in 1 2 3; do
        head -c $((6 << 20)) /dev/urandom >"$work/$number"
        cp "$work/$number" "/mnt/$number"
        mkdir "/mnt/folder$number"
        for name in a b c d; do echo "$name" >"/mnt/folder$number/$name"; done
        sync
    done
    rm /mnt/1
    sync
    btrfs scrub start -B /mnt >"$work/scrub" 2>&1 || true
    grep -q "no errors found" "$work/scrub" || fail "scrub says: $(cat "$work/scrub")"
    umount /mnt
    mount -t btrfs -o ro "${devices[0]}" /mnt
    for number in 2 3; do cmp "$work/$number" "/mnt/$number"; done
    [[ $(cat /mnt/folder3/d) == d && ! -e /mnt/1 ]] || fail "the small files are not what they were"
    umount /mnt
}

# A small file comes and goes, and everything is written down each time.
make_and_change() {
    local number
    plan_and_execute "$@"
    mount -t btrfs "${devices[0]}" /mnt
    for ((number = 0; number < 60; number++)); do
        echo "$number" >/mnt/file
        sync -f /mnt
        rm /mnt/file
        sync -f /mnt
    done
    umount /mnt
    check
    kernel_log
}

check() {
    btrfs check --check-data-csum "${devices[0]}" >"$work/check" 2>&1 && return
    # Versions before 6.19 know no zoned profiles but single and dup; the kernel and its scrub have judged already.
    if grep -q "zoned: profile .* not yet supported" "$work/check"; then
        echo "btrfs check: $(head -n1 "$work/check")"
        return
    fi
    cat "$work/check"
    fail "btrfs check found something"
}

# Since the last `dmesg -c`; the test that started the guest judges it.
kernel_log() { dmesg -r | sed 's/^/kernel: /'; }

# `refused CODE WORDS COMMAND...`: with this exit code and these words, and no device is touched.
refused() {
    local code=$1 words=$2 status=0
    shift 2
    zg ops "${devices[@]}" -- sh -c 'log=$1; shift; exec "$@" >"$log" 2>&1' - "$work/said" "$@" 2>"$work/counts" || status=$?
    cat "$work/said"
    [[ $status -eq $code ]] || fail "exit code $status instead of $code"
    grep -qF -- "$words" "$work/said" || fail "'$words' is not in it"
    [[ $(counted '[WDZ]') -eq 0 ]] || fail "it was refused, but a device was changed: $(cat "$work/counts")"
}

# A filesystem in use for a while is planned over only with -f; and then nothing of it is in the way.
make_again() {
    plan_and_execute
    use_it
    refused 3 btrfs btrfs-plan -q "${devices[@]}"
    refused 3 "not the device that was planned" btrfs-exec --yes "$work/plan.json"
    plan_and_execute -f
    use_it
    check
}

planning_refused() { refused "$1" "$2" btrfs-plan -q "${devices[@]}"; }

planning_warns() {
    btrfs-plan -o "$work/plan.json" "${devices[@]}" 2>&1 | tee "$work/said"
    grep -qF -- "$1" "$work/said" || fail "'$1' is not in it"
}

# Only a part of each device is used: that part is one request, which the kernel splits; the rest stays full.
make_on_part() {
    local device part=$1 zones
    dirty
    plan_and_execute -f -b "$part" -m single -d single
    zones=$((${part%M} * 2048 / $(queue "${devices[0]}" chunk_sectors) - $(conventional "${devices[0]}")))
    [[ $(reset_all) -eq 0 && $(reset_one_by_one) -eq $((zones * ${#devices[@]})) ]] || fail "not $zones resets a device"
    for device in "${devices[@]}"; do
        blkzone report -o $((${part%M} * 2048)) "$device" | grep -vq "zcond:14(fu)" && fail "a zone behind it was changed"
    done
    use_it
    check
}

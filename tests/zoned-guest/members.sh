# What the cases in ../members.rs are made of, beside functions.sh: devices that other devices are built on.

sectors() { cat "/sys/class/block/${1##*/}/size"; }

number() { cat "/sys/class/block/${1##*/}/dev"; }

# Device mapper, without udev to wait for: NAME TABLE. Prints the device.
mapped() {
    dmsetup --noudevsync create "$1" --table "$2"
    trap 'dmsetup --noudevsync remove --retry '"$1"'; clean_up' EXIT
    echo "/dev/dm-$(dmsetup info -c --noheadings -o minor "$1" | tr -d ' ')"
}

# Neither program takes a member; nothing of it is read wrong as free, or changed. DEVICE HOLDER: what its kernel calls what
# is built on it. Plans were made before anything was.
members_refused() {
    local holder=$1 number=0 device
    for device in "${devices[@]}"; do
        refused 3 "it is held by the device $holder" btrfs-plan -q -o /dev/null "$device"
        refused 3 "it is held by the device $holder" btrfs-exec --yes "$work/plan$number.json"
        refused 3 "it is held by the device $holder" btrfs-exec --dry-run "$work/plan$number.json"
        number=$((number + 1))
    done
}

plan_each() {
    local number=0 device
    for device in "${devices[@]}"; do
        btrfs-plan -q -o "$work/plan$number.json" "$device"
        number=$((number + 1))
    done
}

# What is built on others is a device like any: it takes a filesystem, and its members see it.
takes_a_filesystem() {
    btrfs-plan -q "$1" | btrfs-exec --yes --verify
    mount -t btrfs "$1" /mnt
    echo text >/mnt/file
    umount /mnt
    btrfs check "$1" >"$work/check" 2>&1 || fail "btrfs check says: $(cat "$work/check")"
}

linear() {
    plan_each
    mapped test "0 $(sectors "${devices[0]}") linear ${devices[0]} 0"
    members_refused dm-0
    takes_a_filesystem /dev/dm-0
}

multipath() {
    plan_each
    mapped test "0 $(sectors "${devices[0]}") multipath 0 0 1 1 round-robin 0 ${#devices[@]} 1 $(printf '%s 1000 ' "${devices[@]}")"
    members_refused dm-0
    takes_a_filesystem /dev/dm-0
}

# A mapped partition: its disk is not free, the partition beside it is.
on_partition() {
    local disk=${devices[0]}
    plan_each
    printf ',128M\n,\n' | sfdisk -q "$disk"
    mapped test "0 $(sectors "${disk}p1") linear ${disk}p1 0"
    refused 3 "its partition ${disk##*/}p1 is in use: it is held by the device dm-0" btrfs-exec --yes "$work/plan0.json"
    refused 3 "it is held by the device dm-0" btrfs-plan -q -o /dev/null "${disk}p1"
    takes_a_filesystem "${disk}p2"
}

# md without metadata, by its files in sysfs: LEVEL STATE, `inactive` for one that only has members yet.
md() {
    local level=$1 state=$2 slot=0 device name=md_$2
    local folder=/sys/block/$name/md
    plan_each
    echo "$name" >/sys/module/md_mod/parameters/new_array
    trap 'echo clear >'$folder'/array_state; clean_up' EXIT
    echo none >$folder/metadata_version
    echo "$level" >$folder/level
    echo "${#devices[@]}" >$folder/raid_disks
    for device in "${devices[@]}"; do
        number "$device" >$folder/new_dev
        echo $slot >"$folder/dev-${device##*/}/slot"
        echo $(($(sectors "$device") / 2)) >"$folder/dev-${device##*/}/size"
        slot=$((slot + 1))
    done
    [[ $state == inactive ]] || echo "$state" >$folder/array_state
    members_refused "$name"
    [[ $state == inactive ]] || takes_a_filesystem "/dev/$name"
}

# Puts an item of every kind into a filesystem.
set -eu
cd "$1"
mkdir -p a/b/c many links
for number in $(seq 400); do echo "$number" > "many/a file with a rather long name, number $number"; done
head -c 3000000 /dev/urandom > random
head -c 100 /dev/urandom > inline
head -c 4096 /dev/urandom > a/sector
truncate -s 10M sparse
printf x | dd of=sparse bs=1 seek=5000000 conv=notrunc status=none
fallocate -l 1M preallocated
dd if=/dev/urandom of=preallocated bs=4096 count=3 seek=20 conv=notrunc status=none
touch beyond
fallocate -n -l 1M beyond
mkdir packed; chattr +c packed 2> /dev/null || true
yes compressible | head -c 700000 > packed/large
yes small | head -c 1500 > packed/small
touch nosums; chattr +C nosums 2> /dev/null || true
head -c 500000 /dev/urandom > nosums
ln random links/hard
for number in $(seq 200); do ln inline "links/another name that is as long as it may be useful $number"; done
ln -s ../random links/soft
mknod pipe p; mknod null c 1 3; mknod loop b 7 0
setfattr -n user.one -v value random 2> /dev/null || true
setfattr -n user.two -v "$(head -c 900 /dev/zero | tr '\0' v)" a/b 2> /dev/null || true
btrfs subvolume create sub > /dev/null
cp random sub/copy
cp --reflink=always random reflink
sync -f .
btrfs subvolume snapshot . snap > /dev/null
btrfs subvolume snapshot -r sub a/readonly > /dev/null
printf changed | dd of=random bs=1 seek=1000000 conv=notrunc status=none
printf more >> snap/inline
rm "snap/many/a file with a rather long name, number 7" a/sector
sync -f .
truncate -s 1234567 reflink
btrfs subvolume create gone > /dev/null
cp random gone/
sync -f .

//! What `make install` and `make deb` put on a system: programs, manual pages and completions that work; and a package that
//! a new Debian takes, beside btrfs-progs too.

use btrfs_plan_tests::programs::{command, run, tool};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> ExitCode {
    // Both build the same things in the same place.
    suite::run_one_by_one(
        2,
        vec![
            case("everything is installed, is readable and completes", installed),
            root_case("a new Debian takes the package, beside btrfs-progs too", packaged),
        ],
    )
}

/// Everything below the prefix.
const INSTALLED: [&str; 21] = [
    "bin/btrfs-exec",
    "bin/btrfs-plan",
    "sbin/mkfs.btrfs",
    "share/bash-completion/completions/btrfs-exec.bash",
    "share/bash-completion/completions/btrfs-plan.bash",
    "share/bash-completion/completions/mkfs.btrfs.bash",
    "share/fish/vendor_completions.d/btrfs-exec.fish",
    "share/fish/vendor_completions.d/btrfs-plan.fish",
    "share/fish/vendor_completions.d/mkfs.btrfs.fish",
    "share/man/man8/btrfs-exec.8",
    "share/man/man8/btrfs-plan-audit.8",
    "share/man/man8/btrfs-plan-capacity.8",
    "share/man/man8/btrfs-plan-diff.8",
    "share/man/man8/btrfs-plan-minimum.8",
    "share/man/man8/btrfs-plan-schema.8",
    "share/man/man8/btrfs-plan-show.8",
    "share/man/man8/btrfs-plan.8",
    "share/man/man8/mkfs.btrfs.8",
    "share/zsh/site-functions/_btrfs-exec",
    "share/zsh/site-functions/_btrfs-plan",
    "share/zsh/site-functions/_mkfs.btrfs",
];

/// What is typed in bash, and a word that has to be offered.
const COMPLETIONS: [(&str, &str, &str); 8] = [
    ("mkfs.btrfs", "--check", "--checksum"),
    ("btrfs-plan", "capa", "capacity"),
    ("btrfs-plan", "--node", "--nodesize"),
    ("mkfs.btrfs", "-d raid1", "raid1c4"),
    ("mkfs.btrfs", "--csum x", "xxhash64"),
    ("btrfs-plan", "capacity --metadata du", "dup"),
    ("btrfs-exec", "--exp", "--expect"),
    ("btrfs-exec", "--events ", "json"),
];

fn installed() -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut install = command("make");
    install.args(["-s", "-C", REPOSITORY, "install", "PREFIX=/opt/x"]).env("DESTDIR", folder.path());
    run(&mut install)?.success()?;
    let prefix = folder.path().join("opt/x");
    let found = files(&prefix)?;
    let expected: BTreeSet<PathBuf> = INSTALLED.iter().map(PathBuf::from).collect();
    ensure(found == expected, || format!("installed are {found:#?}"))?;

    for page in fs::read_dir(prefix.join("share/man/man8"))? {
        let path = page?.path();
        let mut man = command("man");
        man.args(["--warnings", "-E", "UTF-8", "-l"]).arg(&path);
        let ran = run(&mut man)?.success()?;
        ensure(ran.stderr.is_empty(), || format!("{}: {}", path.display(), ran.stderr))?;
        for heading in ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            ensure(ran.text().contains(heading), || format!("{} has no {heading}", path.display()))?;
        }
    }
    for (program, typed, word) in COMPLETIONS {
        let offered = completions(&prefix.join("share/bash-completion/completions"), program, typed)?;
        ensure(offered.lines().any(|line| line == word), || format!("{program} {typed}: offered are {offered}"))?;
    }
    Ok(())
}

/// All files below a folder, by their paths from there.
fn files(folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let listed = tool("find", [folder.as_os_str(), "-type".as_ref(), "f".as_ref()])?.text();
    let below = listed.lines().filter_map(|line| Path::new(line).strip_prefix(folder).ok());
    Ok(below.map(Path::to_path_buf).collect())
}

/// What bash offers after a program and what was typed behind it.
fn completions(folder: &Path, program: &str, typed: &str) -> Outcome<String> {
    let script = r#"
        source "$1"
        read -ra COMP_WORDS <<<"$2 $3"
        [[ $3 != *' ' ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        function=$(complete -p "$2" | sed -E 's/.* -F ([^ ]+).*/\1/')
        "$function" "$2" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let file = folder.join(format!("{program}.bash"));
    let arguments =
        ["-c".as_ref(), script.as_ref(), "bash".as_ref(), file.as_os_str(), program.as_ref(), typed.as_ref()];
    Ok(tool("bash", arguments)?.text())
}

/// A new system, with /proc for as long as a command runs in it.
struct System {
    folder: TempDir,
}

impl System {
    fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let release = fs::read_to_string("/etc/os-release")?;
        let suite = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let suite = suite.ok_or("/etc/os-release names no suite")?;
        let arguments = ["--variant=minbase".as_ref(), suite.as_ref(), folder.path().as_os_str()];
        tool("debootstrap", arguments)?;
        Ok(Self { folder })
    }

    /// Runs a shell script in it, which has to succeed.
    fn run(&self, script: &str) -> Outcome<String> {
        let enter = r#"mount -t proc proc "$1/proc" && exec chroot "$1" /bin/sh -euc "$2""#;
        let mut system = command("unshare");
        system.args(["--mount", "/bin/sh", "-c", enter, "sh"]).arg(self.folder.path()).arg(script);
        // Whoever runs the tests may have settings that are not for a new system.
        system.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        system.env("DEBIAN_FRONTEND", "noninteractive");
        Ok(run(&mut system)?.success()?.text())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn packaged() -> Outcome {
    let built = run(command("make").args(["-s", "-C", REPOSITORY, "deb"]))?.success()?.text();
    let package = Path::new(built.trim());
    let system = System::new()?;
    fs::copy(package, system.path("btrfs-plan.deb"))?;
    system.run("dpkg -i /btrfs-plan.deb")?;

    // On a system that has nothing else of btrfs, not even a device.
    system.run("btrfs-plan -q -b 1G /one | btrfs-exec -q --yes && mkfs-btrfs -q -b 1G -L two /two")?;
    for image in ["one", "two"] {
        tool("btrfs", ["check".as_ref(), system.path(image).as_os_str()])?;
    }

    system.run("apt-get -qq update && apt-get -qq install -y --no-install-recommends btrfs-progs >/dev/null")?;
    for (script, word) in [
        ("mkfs.btrfs --version", "btrfs-progs"),
        ("dpkg --search /sbin/mkfs.btrfs /usr/sbin/mkfs.btrfs 2>/dev/null || true", "btrfs-progs: "),
        ("PATH=/usr/lib/btrfs-plan:$PATH mkfs.btrfs --version", "btrfs-plan"),
        ("mkfs-btrfs --version", "btrfs-plan"),
        ("btrfs check /one 2>&1", "no error found"),
    ] {
        let said = system.run(script)?;
        ensure(said.contains(word), || format!("{script} says {said}"))?;
    }
    let broken = system.run(
        "dpkg --verify btrfs-progs; dpkg --audit; dpkg --purge btrfs-plan >/dev/null; dpkg --verify btrfs-progs",
    )?;
    ensure(broken.is_empty(), || format!("dpkg says {broken}"))?;
    let left =
        system.run("find / -xdev -path /proc -prune -o -name '*btrfs-plan*' -print -o -name 'mkfs-btrfs*' -print")?;
    if left.trim() != "/btrfs-plan.deb" {
        return fail(format!("left behind are {left}"));
    }
    Ok(())
}

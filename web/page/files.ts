// Files that leave the page, and files that are dropped on it.

/** Saves a text as a file. */
export function download(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What a file is, by its first bytes. */
export function kindOf(bytes: Uint8Array): "plan" | "request" | "lsblk" | "zstd" | "unknown" {
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) return "zstd";
  const text = new TextDecoder().decode(bytes);
  const format = /"format"\s*:\s*"([a-z-]+)/.exec(text)?.[1];
  if (format === "btrfs-request") return "request";
  if (format !== undefined || /^\s*\{"?blocks"/.test(text)) return "plan";
  if (/"blockdevices"\s*:/.test(text)) return "lsblk";
  if (/"seal"\s*:/.test(text)) return "plan";
  // Requests need not name their format.
  return /"identity"\s*:/.test(text) ? "request" : "unknown";
}

// Devices to begin with.
import type { DeviceFacts, Request } from "./planner/types.ts";

const KIB = 1024n;
const MIB = KIB * KIB;
const GIB = MIB * KIB;
const TIB = GIB * KIB;
/** What a described device is taken to discard in one command. */
const ANY_LENGTH = 1n << 50n;

function described(size: bigint, facts: Partial<DeviceFacts> = {}): DeviceFacts {
  return { kind: "described", logical_sector: 512, physical_sector: 4096, rotational: false, signatures: [], size, ...facts };
}

const discard = (granularity: bigint) => ({ alignment: 0n, granularity, max_bytes: ANY_LENGTH });

export interface Preset {
  name: string;
  help: string;
  devices(): DeviceFacts[];
}

export const presets: Preset[] = [
  { name: "SSD", help: "1 TB as sold, discards", devices: () => [described(1_000_204_886_016n, { discard: discard(4096n) })] },
  { name: "NVMe", help: "2 TB as sold, sectors of 4096 bytes", devices: () => [described(2_000_398_934_016n, { discard: discard(4096n), logical_sector: 4096 })] },
  { name: "Disk", help: "10 TiB, rotating, no discard", devices: () => [described(10n * TIB, { rotational: true })] },
  { name: "SMR zoned", help: "14 TiB, zones of 256 MiB, 524 of them conventional", devices: () => [
    described(14n * TIB, { logical_sector: 4096, rotational: true, zones: { max_active: 0, max_open: 128, model: "host-managed", runs: [[524n, "conventional"], [56820n, "empty"]], size: 256n * MIB } }),
  ] },
  { name: "ZNS", help: "2 TiB, zones of 2 GiB that hold 1 GiB, 14 active", devices: () => [
    described(2n * TIB, { logical_sector: 4096, zones: { max_active: 14, max_open: 14, model: "host-managed", runs: [[1024n, "empty", GIB]], size: 2n * GIB } }),
  ] },
  { name: "16 disks", help: "16 of 10 TiB", devices: () => Array.from({ length: 16 }, () => described(10n * TIB, { rotational: true })) },
];

/** A new device where none is like it. */
export const plain = (): DeviceFacts => described(100n * GIB, { discard: discard(4096n) });

/** What the page begins with: two SSDs, a seed of its own, and the time. */
export function beginning(): Request {
  const seed = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    checksum: "crc32c",
    devices: [plain(), plain()],
    discard: "bridge",
    force: false,
    format: "btrfs-request/1",
    identity: { seed },
    mixed: false,
    page_size: 4096,
    time: BigInt(Math.floor(Date.now() / 1000)),
  };
}

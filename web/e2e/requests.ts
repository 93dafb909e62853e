// Requests to compare planners with: text, so that no number is rounded on the way.

/** A generator of the same numbers from the same seed (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const profiles = ["single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6"];
const features = ["mixed-bg", "quota", "extref", "skinny-metadata", "no-holes", "free-space-tree", "block-group-tree", "squota", "zoned", "raid-stripe-tree", "extent-tree-v2"];

function device(size: bigint, more = ""): string {
  return `{"kind":"described","logical_sector":512,"physical_sector":4096,"rotational":false,"signatures":[],"size":${size}${more}}`;
}

export function request(devices: string[], more = "", seed = "compare"): string {
  return `{"devices":[${devices.join(",")}],"identity":{"seed":"${seed}"},"time":1700000000${more}}`;
}

/** A request of any shape; not every one can be planned. */
export function anyRequest(pick: (below: number) => number): string {
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const sometimes = (text: () => string): string => (pick(3) === 0 ? text() : "");
  const size = (): bigint => one([1n << 26n, 1n << 27n, 1n << 30n, 10n << 30n, 100n << 30n, 1n << 40n, (1n << 53n) + 12_345_678n, 1n << 55n]) + BigInt(pick(4)) * 1_234_567n;
  const zones = `,"zones":{"max_active":0,"max_open":0,"model":"host-managed","runs":[[4,"conventional"],[60,"empty"]],"size":268435456}`;
  const zoned = pick(12) === 0;
  const common = size();
  const devices = Array.from({ length: 1 + pick(one([2, 4, 8, 20])) }, () =>
    zoned
      ? device(64n * 268_435_456n, zones)
      : device(pick(2) === 0 ? common : size(), sometimes(() => `,"discard":{"alignment":0,"granularity":${one([512, 4096, 1 << 20])},"max_bytes":1125899906842624}`)),
  );
  const options = [
    sometimes(() => `,"metadata":"${one(profiles)}"`),
    sometimes(() => `,"data":"${one(profiles)}"`),
    sometimes(() => `,"checksum":"${one(["crc32c", "xxhash64", "sha256", "blake2b"])}"`),
    sometimes(() => `,"discard":"${one(["exact", "bridge", "none"])}"`),
    sometimes(() => `,"features":["${pick(2) === 0 ? "^" : ""}${one(features)}"]`),
    sometimes(() => `,"node_size":${one([4096, 8192, 16384, 32768, 65536, 5000])}`),
    pick(8) === 0 ? `,"sector_size":${one([4096, 16384, 65536])}` : "",
    pick(8) === 0 ? `,"mixed":true` : "",
    pick(8) === 0 ? `,"label":"${one(["home", '\u00dcn\u00ef \\"quoted\\"', "x".repeat(300)])}"` : "",
    pick(8) === 0 ? `,"defaults":"${one(["6.19", "5.15", "compat"])}"` : "",
    pick(8) === 0 ? `,"target_kernel":"${one(["3.10", "5.10", "6.1", "6.12"])}"${pick(2) === 0 ? ',"drop_unsupported":true' : ""}` : "",
    pick(4) === 0 ? `,"experimental":true` : "",
    pick(8) === 0 ? `,"byte_count":${one([1n << 30n, 1n << 33n])}` : "",
  ];
  return request(devices, options.join(""), `seed ${pick(1000)}`);
}

/** Profiles, devices and features in every combination that has something of its own. */
export function matrix(): { name: string; text: string }[] {
  const list: { name: string; text: string }[] = [];
  const least: Record<string, number> = { single: 1, dup: 1, raid0: 2, raid1: 2, raid1c3: 3, raid1c4: 4, raid10: 4, raid5: 3, raid6: 4 };
  for (const profile of profiles) {
    for (const more of [0, 3]) {
      for (const [name, options] of [["default", ""], ["sha256, quota", ',"checksum":"sha256","features":["quota"]'], ["64K nodes, exact", ',"node_size":65536,"discard":"exact"']] as const) {
        const count = (least[profile] ?? 1) + more;
        const devices = Array.from({ length: count }, (_, at) => device((10n << 30n) + BigInt(at) * (1n << 28n)));
        list.push({ name: `${profile} on ${count}, ${name}`, text: request(devices, `,"data":"${profile}","metadata":"${profile}"${options}`) });
      }
    }
  }
  list.push({ name: "beyond 2^53", text: request([device((1n << 53n) + 4096n * 3n)]) });
  list.push({ name: "mixed", text: request([device(1n << 28n)], ',"mixed":true') });
  list.push({ name: "zoned", text: request([device(64n << 28n, ',"zones":{"max_active":0,"max_open":0,"model":"host-managed","runs":[[4,"conventional"],[60,"empty"]],"size":268435456}')]) });
  return list;
}

export { device };

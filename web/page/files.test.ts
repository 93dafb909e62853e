import { expect, test } from "vitest";
import { kindOf } from "./files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("files are told apart by what is in them", () => {
  expect(kindOf(bytes('{"blocks":[],\n"format": "btrfs-plan/1"}'))).toBe("plan");
  expect(kindOf(bytes('{"format":"btrfs-plan/9"}'))).toBe("plan");
  expect(kindOf(bytes('{\n  "checksum": "crc32c", "format": "btrfs-request/1"}'))).toBe("request");
  expect(kindOf(bytes('{"devices":[],"identity":{"seed":"a"},"time":1}'))).toBe("request");
  expect(kindOf(bytes('{"blockdevices": []}'))).toBe("lsblk");
  expect(kindOf(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0))).toBe("zstd");
  expect(kindOf(bytes("hello"))).toBe("unknown");
});

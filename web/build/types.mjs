// Makes TypeScript's types from the JSON Schema of the Rust types, so that nothing is written twice.
// 64-bit integers are BigInts; narrower ones are numbers.
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const [schemaFile, typesFile] = process.argv.slice(2);
if (schemaFile === undefined || typesFile === undefined) throw new Error("usage: types.mjs SCHEMA TYPES");
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));

/** @param {any} node */
function widen(node) {
  if (Array.isArray(node)) return node.forEach(widen);
  if (node === null || typeof node !== "object") return;
  const types = Array.isArray(node.type) ? node.type : [node.type];
  const unknown = types.includes("integer") && node.format === undefined;
  if (unknown || ["uint64", "int64", "uint"].includes(node.format)) {
    node.tsType = types.includes("null") ? "bigint | null" : "bigint";
  }
  // json-schema-to-typescript knows tuples by the older name.
  if (Array.isArray(node.prefixItems)) {
    node.items = node.prefixItems;
    node.additionalItems = false;
    delete node.prefixItems;
  }
  Object.values(node).forEach(widen);
}
widen(schema);

const text = await compile(schema, "Everything", {
  additionalProperties: false,
  bannerComment: "// Made from the Rust types by build/types.mjs; do not edit.",
  style: { printWidth: 120 },
});
writeFileSync(typesFile, text);

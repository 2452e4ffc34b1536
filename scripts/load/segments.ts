/** k6's arguments for one of `count` processes that share a run in equal parts; none when there is one only. */
export function segmentArguments(place: number, count: number): string[] {
  if (count === 1) return [];
  const bound = (index: number) => (index === 0 ? "0" : index === count ? "1" : `${index}/${count}`);
  const sequence = Array.from({ length: count + 1 }, (_, index) => bound(index)).join(",");
  return [
    "--execution-segment",
    `${bound(place)}:${bound(place + 1)}`,
    "--execution-segment-sequence",
    sequence,
  ];
}

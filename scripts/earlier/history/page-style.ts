/** What the page of the history has beside the style of the report. */
export const historyStyle = `
.trends {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr));
  gap: 1rem;
}
.trend {
  margin: 0;
  padding: 0.75rem 1rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: var(--round);
}
.trend figcaption {
  display: flex;
  justify-content: space-between;
  gap: 0.75rem;
  font-size: 0.9375rem;
}
.trend b {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
.trend svg {
  display: block;
  width: 100%;
  height: auto;
  margin-top: 0.5rem;
  overflow: visible;
}
.trend line {
  stroke: var(--line);
}
.trend polyline {
  fill: none;
  stroke: var(--series-1);
  stroke-width: 2;
  stroke-linejoin: round;
}
.trend circle {
  fill: var(--series-1);
}
.history {
  display: block;
}
.history .verdict .kind {
  padding: 0;
}
.history .verdict {
  padding-top: 1.5rem;
}
.history th a,
.held {
  white-space: nowrap;
}
.history td,
.history th {
  overflow-wrap: normal;
}
.cells td {
  text-align: center;
}
.changes li {
  margin-bottom: 0.25rem;
}
`;

// The charts of a report: the picture, and its data with the words of their sources.

import type { JSX } from "preact";
import { visible } from "../../../parts/text.ts";
import { bytesOf, pictureAddress } from "./report.ts";
import type { Chart, Research } from "./research.ts";

/** An image, and no part of the page: nothing in it runs or loads. */
export function ChartPicture({ chart }: { chart: Chart }): JSX.Element {
  const address = pictureAddress(chart.picture);
  if (address === undefined) return <span class="quiet">[no picture: {visible(chart.title)}]</span>;
  return <img class="chart" src={address} alt={visible(`Chart: ${chart.title}. ${chart.description}`)} />;
}

export function Charts({ research }: { research: Research }): JSX.Element {
  return (
    <div class="charts">
      {research.result.charts.map((chart) => (
        <figure key={chart.id} class="card">
          <figcaption>
            <strong>{visible(chart.title)}</strong>
            {chart.description !== "" && <span class="quiet"> {visible(chart.description)}</span>}
          </figcaption>
          <ChartPicture chart={chart} />
          {chart.data.length > 0 && (
            <div class="scrolls" tabIndex={0} role="group" aria-label={`Data of the chart ${visible(chart.title)}`}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">of</th>
                    <th scope="col">value</th>
                    <th scope="col">as the source says it</th>
                  </tr>
                </thead>
                <tbody>
                  {chart.data.map((datum, at) => (
                    <tr key={at}>
                      <td>{visible(datum.label)}</td>
                      <td>{visible(datum.said)}</td>
                      <td>
                        {datum.sources.map((source, number) => (
                          <Quoted key={number} {...{ research, source }} />
                        ))}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </figure>
      ))}
    </div>
  );
}

function Quoted({
  research,
  source,
}: {
  research: Research;
  source: Chart["data"][number]["sources"][number];
}): JSX.Element {
  const document = research.documents.get(source.evidence);
  if (document === undefined || source.span === undefined) return <code>{visible(source.evidence)}</code>;
  return (
    <p class="chart-quote">
      “{visible(bytesOf(document.text, source.span))}” <span class="quiet">{visible(document.title)}</span>
    </p>
  );
}

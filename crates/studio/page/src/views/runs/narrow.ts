// Whether the window is too narrow for a row of many columns.

import { useEffect, useState } from "preact/hooks";

const QUERY = "(max-width: 52rem)";

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(QUERY).matches);
  useEffect(() => {
    const media = matchMedia(QUERY);
    const onChange = () => setNarrow(media.matches);
    media.addEventListener("change", onChange);
    return () => media.removeEventListener("change", onChange);
  }, []);
  return isNarrow;
}

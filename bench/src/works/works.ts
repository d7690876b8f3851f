import type { Sample } from '../database/sample.ts'
import { homeWorks, levelsWork, timelineWorks } from './home.ts'
import { postWorks, profileWorks, repliesWorks } from './reads.ts'
import type { Work } from './work.ts'
import { likeWorks, sendWorks } from './writes.ts'

/** All works, in the order of the report; those that the data are too small for are left out. */
export function worksOn(sample: Sample): Work[] {
  return [
    ...homeWorks(sample),
    levelsWork(sample),
    ...postWorks(sample),
    ...profileWorks(sample),
    ...repliesWorks(sample),
    ...likeWorks(sample),
    ...sendWorks(sample),
    ...timelineWorks(sample),
  ].filter(({ calls }) => calls.length > 0)
}

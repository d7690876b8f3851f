import type { Topic } from './topics.ts'

/** An invented person and the topics they write about. */
export type Person = { username: string; displayName: string; bio: string; interests: readonly Topic[] }

function person(username: string, displayName: string, bio: string, ...interests: readonly Topic[]): Person {
  return { username, displayName, bio, interests }
}

/** The first accounts of every network, written by hand. The first one is `ada`. */
export const firstPeople: readonly Person[] = [
  person('ada', 'Ada Lovelace', 'Engines, numbers and strong tea. ☕ She/her.', 'databases', 'typescript', 'tea'),
  person('grace', 'Grace Okonkwo', 'I keep servers and bees calm in Lagos.', 'self-hosting', 'databases', 'birds'),
  person('linus', 'Linus Ekwall', 'Runs slowly, compiles fast. Malmö.', 'running', 'self-hosting', 'typescript'),
  person('margaret', 'Margaret Achieng', 'Once wrote guidance software, now guides tours.', 'astronomy', 'trains'),
  person('jurgen', 'Jürgen Weiß', 'Sauerteig, Tomaten, Geduld.', 'bread', 'birds'),
  person('sakura', 'Sakura Tanaka 田中さくら', 'Train windows and green tea. 京都', 'trains', 'tea', 'books'),
  person('olena', 'Олена Коваль', 'Choir alto, data analyst, in that order.', 'music', 'databases'),
  person('mateo_ruiz', 'Mateo Ruiz', 'Panadero en Córdoba. I answer after the morning batch.', 'bread', 'music'),
  person('priya', 'Priya Raghunathan', 'Astronomy club secretary. Clear skies!', 'astronomy', 'weather', 'tea'),
  person('tomasz_w', 'Tomasz Wójcik', 'Signals engineer who still loves trains.', 'trains', 'databases'),
  person('amara', 'Amara Diallo', 'Marathon in progress since 2019.', 'running', 'weather'),
  person('henk', 'Henk van der Meer', 'Allotment 47, behind the blue shed.', 'birds', 'weather'),
  person('yusuf', 'Yusuf Demir', 'Tea first. Then types.', 'tea', 'typescript'),
  person('ingrid_s', 'Ingrid Sørensen', 'Librarian in Tromsø. Ask me about the dark months.', 'books', 'astronomy'),
  person('kofi', 'Kofi Mensah', 'Trumpet, brass band, Accra.', 'music', 'running'),
  person('leila', 'Leila Haddad', 'Reads everything, finishes most of it.', 'books', 'tea'),
  person(
    'wren_and_co',
    'Siobhán Byrne',
    'Bird counts, Galway Bay. Opinions are the wren’s.',
    'birds',
    'weather',
    'music',
  ),
  person('chen_wei', '陈伟', 'Database internals and dumplings.', 'databases', 'bread'),
  person('maja', 'Maja Łuczak', 'Front-end by day, cello by night.', 'typescript', 'music'),
  person('rafael', 'Rafael Monteiro', 'Home lab under the stairs, Porto.', 'self-hosting', 'trains'),
  person('aroha', 'Aroha Parata', 'Kia ora! Trail running near Wellington.', 'running', 'birds'),
  person('emil', 'Emil Lindqvist', '', 'self-hosting', 'databases'),
  person('zofia', 'Zofia Kamińska', 'Second-hand books, first-hand coffee.', 'books', 'bread'),
  person('dmitri_k', 'Dmitri Kask', 'Fog collector. Tallinn.', 'weather', 'trains'),
  person('noor', 'Noor Rahman', 'Writes tests first, recipes second.', 'typescript', 'bread'),
  person('hamish', 'Hamish McAllister', 'Hills, hail and the occasional ceilidh.', 'weather', 'music', 'running'),
  person('valentina', 'Valentina Greco', 'Violist. Amo i treni regionali.', 'music', 'trains'),
  person('minh_anh', 'Nguyễn Minh Anh', 'Balcony gardener with a telescope.', 'birds', 'astronomy'),
  person('oskar', 'Oskar Brandt', 'One NAS, three backups, no worries.', 'self-hosting', 'tea'),
  person('fatou', 'Fatou Sarr', 'Teacher, runner, collector of short stories.', 'running', 'books'),
  person('elif', 'Elif Yıldız', 'My surname means star, so what else could I do?', 'astronomy', 'typescript'),
  person('pablo_n', 'Pablo Núñez', 'Baker’s son, so 4:45 is a normal time.', 'bread', 'birds'),
  person('hanna', 'Hanna Virtanen', 'Lakes, saunas, query plans.', 'databases', 'weather'),
  person('theo', 'Théo Lefèvre', 'Contrebasse et fromage. Lyon.', 'music', 'tea'),
  person('ravi', 'Ravi Subramaniam', 'Platform 4, most mornings.', 'trains', 'books', 'typescript'),
  person('bronwyn', 'Bronwyn Pugh', 'Poems on the fridge.', 'books', 'birds'),
  person('samuel_o', 'Samuel Otieno', 'Long runs along the old line. Nairobi.', 'running', 'trains'),
  person('greta', 'Greta Zimmermann', 'Makes bread, breaks builds.', 'bread', 'typescript', 'self-hosting'),
  person('hyejin', '박혜진', 'Flute and rainy days.', 'music', 'weather'),
  person('luca', 'Luca Ferrari', 'No relation. I take the train.', 'trains', 'tea'),
  person('saoirse', 'Saoirse Flynn', 'Radio weather, live at 6:50.', 'weather', 'books'),
  person('abdul_m', 'Abdul Mannan', 'Night sky over the rooftops. 🔭', 'astronomy', 'self-hosting'),
  person('petra', 'Petra Novotná', 'Indexes are a love language.', 'databases', 'books'),
  person('keoni', 'Keoni Kahale', 'Ocean, stars, ʻukulele.', 'astronomy', 'music'),
  person('beatrix', 'Beatrix Hollander', 'Tea merchant, third generation.', 'tea', 'trains'),
  person('jonas', 'Jonas Ólafsson', 'Reykjavík. Yes, it is windy.', 'weather', 'running', 'databases'),
  person('camille', 'Camille Tremblay', 'Montréal, vélo, pain au levain.', 'bread', 'running'),
  person('anjali', 'Anjali Deshpande', 'Compilers and chai in Pune.', 'typescript', 'tea'),
  person('marek', 'Marek Horváth', 'Quiet fans, loud opinions on them.', 'self-hosting', 'music'),
  person('esperanza', 'Esperanza Quispe', 'Potatoes in 47 varieties, and counting.', 'birds', 'bread', 'astronomy'),
]

/** Given names of the accounts after the first. */
export const givenNames: readonly string[] = (
  'Aino Akira Alma Amélie Ana Anders Aylin Bashir Björn Bruna Carlos Chiara Chidi Clara Daan Dagný Deepa Diego Eero ' +
  'Eilidh Emeka Erik Esra Farah Felix Fiona Freya Gabriel Gwen Hana Hassan Helena Hugo Ibrahim Ida Ioana Isabel Ivo ' +
  'Jamila Jana João José Julia Kaito Karin Kwame Lars Lena Lina Lucía Luka Magnus Malik Marta Mei Mila Mohan Nadia ' +
  'Niamh Nils Noah Olga Omar Paula Pia Rania Renée Rosa Rui Sanna Sara Sipho Sofía Stefan Sunita Tarik Thandi Tove ' +
  'Uma Vera Viktor Wanjiru Xenia Yara Yuki Zara Zoë'
).split(' ')

/** Family names of the accounts after the first. */
export const familyNames: readonly string[] = (
  'Abebe Almeida Andersen Aydın Balogun Bauer Berg Bianchi Blanc Bouchard Campbell Castro Chowdhury Costa Cruz Dahl ' +
  'Das Dupont Eriksen Fernández Fischer Fontaine Fujita Gallagher García Gonçalves Grünwald Gupta Hakimi Hansen ' +
  'Hernández Hoffmann Holm Ito Iyer Jansen Jiménez Jovanović Kamau Karlsson Kaya Keller Khan Kim Kovács Krüger ' +
  'Larsson Laurent Lopes Mäkinen Martín Meyer Mori Morrison Müller Mwangi Nagy Nair Ndiaye Nielsen Novák Obi Okafor ' +
  'Olsen Ortiz Park Pereira Petrov Popescu Rahimi Ramos Reid Rossi Roy Saito Santos Schäfer Silva Singh Smit Strand ' +
  'Sundaram Svensson Takeda Tan Torres Traoré Uchida Vargas Vasquez Vogel Weber Whelan Yamada Yilmaz Zhang'
).split(' ')

export default function Home() {
  return <main>Afterdark</main>;
}

from warmcb.cli import main

main()
